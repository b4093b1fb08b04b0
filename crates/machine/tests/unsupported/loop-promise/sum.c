int a[100];
int main(void) {
  int sum = 2000000000;
  for (int i = 0; i < 100; i++)
    a[i] = i & 1 ? 2000000 : -2000000;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < 100; i++) //~ UNSUPPORTED a reduction whose sums overflow in another order
    sum += a[i];
  return sum & 1;
}
