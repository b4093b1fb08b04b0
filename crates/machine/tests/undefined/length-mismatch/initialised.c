int main(void) {
  int n = 4, a[3] = { 0 };
  int(*p)[n] = &a; //~ UB length-mismatch
  return (*p)[0];
}
