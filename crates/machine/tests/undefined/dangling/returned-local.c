static int *leak(void) {
  int x = 1;
  int *p = &x;
  return p;
}
int main(void) {
  int *p = leak();
  return *p; //~ UB dangling
}
