int atexit(void (*)(void));
int puts(const char *);
_Noreturn void exit(int);
static void first(void) { puts("first"); }
static void second(void) { puts("second"); }
int main(void) {
  atexit(first);
  atexit(second);
  puts("main");
  exit(0);
}
