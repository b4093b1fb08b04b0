int a[2][3];
int main(void) {
  int i = 2;
  int *end = &a[i][0]; //~ UB out-of-bounds
  return end == 0;
}
