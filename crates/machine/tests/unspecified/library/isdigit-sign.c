int isdigit(int);
int main(void) {
  return isdigit('1') > 0; //~ UNSPECIFIED library
}
