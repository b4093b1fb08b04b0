int a[100];
int main(void) {
  int k = 4;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < 10; i++)
    a[i] = a[i + k]; //~ UB broken-promise
  return 0;
}
