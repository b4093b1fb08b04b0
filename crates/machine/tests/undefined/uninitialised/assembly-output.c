int main(void) {
  int x = 1;
  __asm__("" : "=r"(x));
  return x; //~ UB uninitialised
}
