int main(void) {
  int x = 46341;
  return x * x; //~ UB signed-overflow
}
