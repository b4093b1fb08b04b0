int a[100];
int main(void) {
#pragma omp simd safelen(4) order(concurrent)
  for (int i = 8; i < 20; i++)
    a[i] = a[i - 8] + 1; //~ UB broken-promise
  return 0;
}
