int main(void) {
  int x = 2147483647;
  return x + 1; //~ UB signed-overflow
}
