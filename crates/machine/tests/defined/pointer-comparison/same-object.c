struct s { int a, b; };
int main(void) {
  int a[4];
  struct s s;
  int n = 0;
  for (int *p = a; p < a + 4; p++) n++;
  if (n != 4 || &a[1] <= &a[0] || !(&a[4] > &a[3])) return 1;
  if (&s.a >= &s.b || !((char *)&s <= (char *)&s.a)) return 2;
  // Equality may ask about any two objects.
  int x, y;
  if (&x == &y || &x == 0) return 3;
  return 0;
}
