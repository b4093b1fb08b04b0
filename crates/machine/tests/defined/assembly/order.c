// An output is written like the left side of an assignment: this is one object, in order.
static int next(void) {
  static int n;
  __asm__("" : "+r"(n));
  return ++n;
}

int main(void) {
  int a = next();
  int b = next();
  __asm__("" : "=r"(a), "=r"(b) : "0"(b), "1"(a));
  return a == 2 && b == 1 ? 0 : 1;
}
