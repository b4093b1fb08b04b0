static int add(int a, int b) {
  return a + b; //~ UB signed-overflow
}
static int twice(int a) { return add(a, a); }
int main(void) {
  return twice(1500000000);
}
