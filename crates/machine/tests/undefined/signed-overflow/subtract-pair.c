int main(void) {
  int x = 0, y = -2147483647 - 1;
  return x - y; //~ UB signed-overflow
}
