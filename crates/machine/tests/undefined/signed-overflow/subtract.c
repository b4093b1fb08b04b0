int main(void) {
  int x = -2147483647, y = 2;
  return x - y; //~ UB signed-overflow
}
