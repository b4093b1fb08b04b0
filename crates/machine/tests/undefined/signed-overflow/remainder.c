// The remainder would be 0, but the quotient does not fit (C11 6.5.5p6).
int main(void) {
  int x = -2147483647 - 1, y = -1;
  return x % y; //~ UB signed-overflow
}
