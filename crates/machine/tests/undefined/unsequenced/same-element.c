int a[4];
int main(void) {
  int i = 1, j = 1;
  return (a[i] = 1) + (a[j] = 2); //~ UB unsequenced
}
