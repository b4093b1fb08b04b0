int a[100];
int main(void) {
  int x = 0;
#pragma omp simd linear(x : 2) //~ UNSUPPORTED a linear object that not every round changes by as much
  for (int i = 0; i < 100; i++) {
    if (a[i] == 0)
      x += 2;
    a[i] = x;
  }
  return 0;
}
