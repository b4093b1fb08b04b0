int main(void) {
  char *p = (char *)4096;
  p++; //~ UB pointer-arithmetic
  return 0;
}
