// target: x86_64-linux
int main(void) {
  long wide;
  __asm__("" : "=r"(wide) : "0"(0));
  return wide != 0;
}
