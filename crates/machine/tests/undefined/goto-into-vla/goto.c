int main(void) {
  int n = 2;
  void *label = &&inside;
  goto *label; //~ UB goto-into-vla
  {
    int a[n];
  inside:
    a[0] = 1;
  }
  return 0;
}
