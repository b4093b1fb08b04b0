struct large { int numbers[5 << 20]; char flag; };
int main(void) { //~ UNSUPPORTED a structure of more than 16 MiB that may have padding
  struct large *none = 0;
  struct large all;
  all.flag = 1;
  return none != 0;
}
