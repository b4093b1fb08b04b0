// A compound literal is one object while its block runs (C11 6.5.2.5p5 and example 8).
struct S { int i; };
int again(void) {
  struct S *p = 0, *q;
  int j = 0;
again:
  q = p, p = &((struct S){ j++ });
  if (j < 2) goto again;
  return p == q && q->i == 1;
}
int counted(void) {
  int *p = 0, j = 0;
again:
  p = &(int){ p ? *p + 1 : 0 };
  if (j++ < 3) goto again;
  return *p;
}
int in_condition(void) {
  int *p = 0, *q, j = 0, same = 0;
  while (q = p, p = &(int){ j }, j < 3) {
    if (q) same += p == q;
    j++;
  }
  return same;
}
int main(void) {
  int *p;
  if (*(p = &(int){ 3 }) == 3) { if (*p != 3) return 1; }
  else return *p;
  for (int i = 0; *(p = &(int){ i }) < 3; i++) if (*p != i) return 2;
  if (again() != 1) return 3;
  if (counted() != 3) return 4;
  return in_condition() == 2 ? 0 : 5;
}
