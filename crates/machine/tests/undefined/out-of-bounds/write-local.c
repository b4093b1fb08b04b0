int main(void) {
  int a[4];
  for (int i = 0; i <= 4; i++)
    a[i] = i; //~ UB out-of-bounds
  return 0;
}
