int main(void) {
  long x = -9223372036854775807 - 1;
  x /= -1; //~ UB signed-overflow
  return 0;
}
