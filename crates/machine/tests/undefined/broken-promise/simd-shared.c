int a[100];
int main(void) {
  int sum = 0;
#pragma omp simd
  for (int i = 0; i < 10; i++)
    sum += a[i]; //~ UB broken-promise
  return sum;
}
