// Through the struct itself, the compiler knows that members are not aligned.
struct __attribute__((packed)) s { char c; int i; long l[2]; };
void *memcpy(void *, const void *, unsigned long);
int main(void) {
  struct s s = { 1, 2, { 3, 4 } }, *p = &s;
  int x;
  p->i++;
  p->l[1]++;
  memcpy(&x, (char *)p + 1, sizeof x);
  if (x != 3 || s.l[1] != 5) return 1;
  char *bytes = (char *)&s;
  return bytes[1] - 3;
}
