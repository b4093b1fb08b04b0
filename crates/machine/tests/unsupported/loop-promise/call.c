int a[100];
static int f(int x) { return x; }
int main(void) {
#pragma omp simd //~ UNSUPPORTED a promise about a loop with calls
  for (int i = 4; i < 10; i++)
    a[i] = f(i);
  return 0;
}
