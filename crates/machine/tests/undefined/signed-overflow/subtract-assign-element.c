int a[3] = { 0, -2147483647, 0 };
int main(void) {
  int i = 1;
  a[i] -= 2; //~ UB signed-overflow
  return 0;
}
