int a[100], n = 10;
int main(void) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (i == 5)
      n = 8; //~ UB broken-promise
  return 0;
}
