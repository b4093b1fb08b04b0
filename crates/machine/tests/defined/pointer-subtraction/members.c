struct S { int a[4], b[4]; };
struct T { struct S s[3]; int n; };
int main(void) {
  struct T t[2] = { 0 }, *end = t + 2, one;
  int *p = t[1].s[2].b;
  if (end - t != 2 || &one + 1 - &one != 1 || t[1].s + 3 - t[1].s != 3) return 1;
  if (p + 4 - p != 4 || (char *)&t[1].n - (char *)t[1].s != sizeof t[1].s) return 2;
  // Members of one structure are in order (C11 6.5.8p5).
  return t[0].s[1].b > t[0].s[1].a && (void *)&t[0].n > (void *)&t[0].s[2] ? 0 : 3;
}
