static int *leak(int parameter) {
  int *p = &parameter;
  return p;
}
int main(void) {
  int *p = leak(1);
  *p = 2; //~ UB dangling
  return 0;
}
