struct pair {
  int a, b;
};

static int calls;
static int *called(int *p) {
  calls++;
  return p;
}

int global = 3;

int main(void) {
  int x = 1, y = 2, z;
  int *p = &global, *q;
  struct pair s = {4, 5};
  double d = 1.5;
  volatile int v = 6;
  __asm__("");
  __asm__ volatile("" : : : "memory");
  __asm__ volatile("" : "+r"(x));
  __asm__ volatile("" : "+r"(x), "+g"(y) : "r"(p), "g"(&s) : "memory", "cc");
  __asm__("" : "=r"(z) : "0"(x + y));
  __asm__("" : [out] "=r"(q) : "[out]"(p));
  __asm__ volatile("" : "+m"(s) : "m"(global), "rm"(y), "X"(d), "i"(12));
  __asm__ volatile("" : "+r"(*called(&global)));
  __asm__ volatile("" : "+r"(v));
  __asm__ volatile("" : "+m"(v));
  if (x != 1 || y != 2 || z != 3 || q != &global || global != 3)
    return 1;
  if (s.a != 4 || s.b != 5 || d != 1.5 || v != 6 || calls != 1)
    return 2;
  // An object without a value may be an output, and only its address an input.
  int fresh, untouched[2];
  __asm__("" : "=r"(fresh) : "0"(7));
  __asm__ volatile("" : : "m"(untouched), "r"(untouched));
  __asm__ goto("" : : : : never);
  return fresh - 7;
never:
  return 3;
}
