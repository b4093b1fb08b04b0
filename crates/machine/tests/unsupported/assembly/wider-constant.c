// target: s390x-linux
int main(void) {
  long wide;
  __asm__("" : "=r"(wide) : "0"(0)); //~ UNSUPPORTED inline assembly with tied operands of different sizes
  return wide != 0;
}
