static int sum(int a[static 4]) { //~ UB broken-promise
  return a[0] + a[1];
}
int main(void) {
  int a[2] = {1, 2};
  return sum(a);
}
