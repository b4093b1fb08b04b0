int main(void) {
  long x = 9223372036854775807;
  x = x + 1; //~ UB signed-overflow
  return 0;
}
