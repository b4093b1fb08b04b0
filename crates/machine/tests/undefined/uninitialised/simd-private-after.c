int a[100];
int main(void) {
  int t = 3;
#pragma omp simd private(t)
  for (int i = 0; i < 10; i++) {
    t = i;
    a[i] = t;
  }
  return t; //~ UB uninitialised
}
