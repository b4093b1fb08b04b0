__attribute__((const)) static int f(const int *p) {
  return *p; //~ UB broken-promise
}
int main(void) {
  int x = 3;
  return f(&x);
}
