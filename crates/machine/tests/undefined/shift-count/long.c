int main(void) {
  unsigned long x = 1;
  x <<= 64; //~ UB shift-count
  return 0;
}
