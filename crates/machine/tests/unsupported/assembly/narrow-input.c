int main(void) {
  int x = 1;
  long y;
  __asm__("" : "=r"(y) : "0"(x)); //~ UNSUPPORTED inline assembly with tied operands of different sizes
  return (int)y;
}
