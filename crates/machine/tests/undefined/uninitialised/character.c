// The address of a character in a register is never taken, so that it must not be read.
int main(void) {
  unsigned char a, b;
  b = a; //~ UB uninitialised
  (void)b;
  return 0;
}
