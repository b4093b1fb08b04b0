int a[3][4];
int main(void) {
  for (int *p = a[0]; p < (int *)(a + 3); p++) *p = 1; //~ UB out-of-bounds
  return 0;
}
