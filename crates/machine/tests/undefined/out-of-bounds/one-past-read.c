int main(void) {
  int a[2] = { 1, 2 };
  int *end = a + 2;
  return *end; //~ UB out-of-bounds
}
