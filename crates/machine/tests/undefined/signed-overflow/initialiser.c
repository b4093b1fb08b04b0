int main(void) {
  int big = 2147483647;
  int a[2] = { 0, big + 1 }; //~ UB signed-overflow
  return a[0];
}
