__attribute__((access(read_only, 1))) static int f(const int *p) { //~ UNSUPPORTED the attribute `access`
  return *p;
}
int main(void) {
  int x = 0;
  return f(&x);
}
