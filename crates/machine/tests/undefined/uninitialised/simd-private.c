int a[100];
int main(void) {
  int t = 3;
#pragma omp simd private(t)
  for (int i = 0; i < 10; i++) {
    a[i] = t; //~ UB uninitialised
    t = i;
  }
  return 0;
}
