// The second call has objects of its own, even if they are in the same place.
static int *keep(int *old) {
  int x = 1;
  int *p = &x;
  if (old)
    *old = 2; //~ UB dangling
  return p;
}
int main(void) {
  keep(keep(0));
  return 0;
}
