int a[100];
int main(void) {
  int *p = a;
#pragma omp simd aligned(p : 16) //~ UNSUPPORTED an alignment that is not that of an array
  for (int i = 0; i < 100; i++)
    p[i] = i;
  return 0;
}
