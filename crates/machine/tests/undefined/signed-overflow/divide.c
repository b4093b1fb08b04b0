int main(void) {
  int x = -2147483647 - 1, y = -1;
  return x / y; //~ UB signed-overflow
}
