// Copying a struct with padding or with members that have no value uses none of them.
void *memcpy(void *, const void *, unsigned long);
struct s { char c; int i; long l; };
static struct s pass(struct s s) { return s; }
int main(void) {
  struct s s, t, u;
  s.c = 1;
  s.l = 2;
  t = s;
  memcpy(&u, &t, sizeof u);
  u = pass(u);
  return u.c + (int)u.l - 3;
}
