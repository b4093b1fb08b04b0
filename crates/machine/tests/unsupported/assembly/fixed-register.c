int main(void) {
  int x = 1, y;
  __asm__("" : "=a"(y) : "a"(x)); //~ UNSUPPORTED inline assembly
  return y;
}
