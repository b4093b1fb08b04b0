struct s { int a; volatile int b; };
volatile struct s v = { 1, 2 };
struct s plain = { 3, 4 };
static int get(const struct s *p) { struct s copy = *p; return copy.b; }
static int see(volatile struct s *p) { struct s copy = *p; return copy.b; }

/* A copy by the name or the type of a volatile object, and of one with a volatile member. */
int main(void) {
  struct s copy = v;
  return copy.a + see(&v) + see(&plain) + get(&plain) - 11;
}
