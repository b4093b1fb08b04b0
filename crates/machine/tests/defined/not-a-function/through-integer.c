static int zero(void) { return 0; }
int main(void) {
  unsigned long address = (unsigned long)&zero;
  return ((int (*)(void))address)();
}
