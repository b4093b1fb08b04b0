int a[100];
int main(void) {
#pragma omp simd safelen(4)
  for (int i = 4; i < 10; i++)
    a[i] = a[i - 4]; //~ UB broken-promise
  return 0;
}
