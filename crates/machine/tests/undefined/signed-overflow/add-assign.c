int main(void) {
  int x = 2147483600;
  x += 100; //~ UB signed-overflow
  return 0;
}
