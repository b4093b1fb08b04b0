// Names of the library that are no external definitions; what is declared and not used.
int printf(const char *, ...);
long labs(long);
int elsewhere(void);
extern int nowhere;
static int strlen(int x) { return x; }
inline int both(void) { return 1; }
extern int both(void);
inline int unused(void) { return elsewhere(); }
static inline int idle(void) { return nowhere; }
inline __attribute__((always_inline)) int always(void) { return 1; }
int renamed(void) __asm__("other_name");
int renamed(void) { return 1; }
struct _Bar { int _X; };
int _total = 2, strong = 3;
extern int absent(void) __attribute__((weak));
int main(int argc, char **argv) {
  struct _Bar malloc = { 1 };
  int size = sizeof(elsewhere()) + sizeof nowhere;
  if (argc > 5) printf("%ld %d\n", labs(argc), absent());
  return strlen(0) + both() + always() + renamed() + malloc._X + _total + strong + size - 17;
}
