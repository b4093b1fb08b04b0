int main(void) {
  int x, *p = &x + 1;
  *p = 1; //~ UB out-of-bounds
  return 0;
}
