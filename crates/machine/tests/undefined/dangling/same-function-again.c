// The second call has objects of its own, even if they are in the same place.
static int *keep(int again, int *old) {
  int x = 1;
  int *p = &x;
  if (again)
    *old = 2; //~ UB dangling
  return p;
}
int main(void) {
  keep(1, keep(0, 0));
  return 0;
}
