static int is_null(int a[static 1]) { //~ UB broken-promise
  return a == 0;
}
int main(void) {
  return is_null(0);
}
