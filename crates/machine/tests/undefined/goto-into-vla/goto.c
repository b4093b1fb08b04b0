int main(void) { //~ UB goto-into-vla
  int n = 2;
  void *label = &&inside;
  goto *label;
  {
    int a[n];
  inside:
    a[0] = 1;
  }
  return 0;
}
