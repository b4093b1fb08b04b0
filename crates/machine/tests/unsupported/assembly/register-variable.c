int main(void) {
  register int x __asm__("eax") = 1;
  register int y __asm__("eax");
  __asm__("" : "=r"(y) : "r"(x)); //~ UNSUPPORTED inline assembly
  return y;
}
