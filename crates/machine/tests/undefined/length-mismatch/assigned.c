int main(void) {
  int n = 3, m = 4, a[3] = { 0 };
  int(*p)[n] = &a;
  int(*q)[m];
  q = p; //~ UB length-mismatch
  return (*q)[0];
}
