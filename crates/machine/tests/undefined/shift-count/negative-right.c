int main(void) {
  unsigned long x = 1;
  int count = -64;
  return x >> count != 0; //~ UB shift-count
}
