int main(void) {
  long x = 2;
  x <<= 62; //~ UB shift-overflow
  return 0;
}
