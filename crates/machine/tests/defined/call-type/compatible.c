static int f(int x) { return x; }
typedef int function(int);
typedef void any(void);
static int apply(function *g, int x) { return g(x); }
int main(void) {
  // A function pointer may be stored as another type, if it is called as its own.
  any *stored = (any *)f;
  int (*again)(int) = (int (*)(int))stored;
  int (*old)() = f;
  return apply(f, 0) + again(0) + (*f)(0) + (**again)(0) + old(0);
}
