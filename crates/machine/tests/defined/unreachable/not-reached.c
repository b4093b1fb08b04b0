static int f(int n) {
  if (n < 0) __builtin_unreachable();
  return n;
}
int main(void) { return f(0); }
