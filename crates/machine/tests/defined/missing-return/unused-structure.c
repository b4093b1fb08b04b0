// The value of a call without one may be left unused.
struct s { int a[4]; };
static struct s f(int x) {
  if (x)
    return (struct s){{x}};
}
int main(void) {
  f(0);
  (void)f(0);
  f(0), f(0);
  return f(3).a[0] - 3;
}
