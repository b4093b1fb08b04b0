int main(void) {
  long x = -9223372036854775807 - 1, y = -1;
  return x % y != 0; //~ UB signed-overflow
}
