int main(void) {
  int x = 2147483647;
  x++; //~ UB signed-overflow
  return 0;
}
