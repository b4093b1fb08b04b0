int other(void) { return 1; }
int main(void) {
  register int result __asm__("eax");
  result = 3; //~ UNSUPPORTED the variable `result` in a register of its own
  other();
  return result - 3;
}
