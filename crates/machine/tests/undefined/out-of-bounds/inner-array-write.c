int a[2][2];
int main(void) {
  for (int i = 0; i < 4; i++)
    a[0][i] = i; //~ UB out-of-bounds
  return 0;
}
