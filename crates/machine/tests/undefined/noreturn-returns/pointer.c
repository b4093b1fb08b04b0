static void stop(void) {}
int main(void) {
  void (*p)(void) __attribute__((noreturn)) = stop;
  p(); //~ UB noreturn-returns
  return 0;
}
