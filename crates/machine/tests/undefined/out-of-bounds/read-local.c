int main(void) {
  int a[4] = { 0 }, i = 4;
  return a[i]; //~ UB out-of-bounds
}
