void f(void) {
  register int x asm("rbx"); //~ variables in named registers are not supported
}
