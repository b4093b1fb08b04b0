#include <stdio.h>
int a[100], b[100], n = 50;
struct pair {
  int left, right;
} pairs[20];
int main(void) {
  int sum = 0, last, temporary;
  unsigned bits = 0;
  int i;
#pragma GCC ivdep
#pragma GCC unroll 4
  for (i = 0; i < n; i++)
    a[i] = b[i] + i;
  if (n)
#pragma clang loop vectorize(assume_safety) interleave_count(2)
    for (int i = 0; i < n; i++) {
      int local[2] = {a[i], 3};
      local[0] += local[1];
      b[i] = local[0];
    }
  else
#pragma GCC unroll 2
    do
      n++;
    while (n < 10);
#pragma omp simd reduction(+ : sum) reduction(^ : bits) safelen(8), simdlen(4) private(temporary) lastprivate(last)
  for (int i = 0; i < n; i++) {
    temporary = a[i] * 2;
    sum += temporary;
    bits ^= b[i];
    last = temporary;
  }
#pragma omp simd safelen(4)
  for (int i = 8; i < n; i++)
    a[i] = a[i - 5] + 1;
#pragma GCC ivdep
  for (int i = 0; i < 10; i++)
    a[50 + i] = a[i] + a[i];
#pragma omp simd
  for (int i = 0; i < 20; i += 2) {
    pairs[i].left = i;
    for (int j = 0; j < 3; j++)
      pairs[i].right += j;
  }
#pragma GCC ivdep
  for (int i = 0; i < 1; i++)
    n = n + 1;
#pragma clang loop unroll(full)
  while (sum > 100)
    sum -= 100;
  printf("%d %u %d %d %d %d %d\n", sum, bits, last, a[49], a[55], pairs[18].right, n);
  return 0;
}
