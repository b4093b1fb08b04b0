#include <stdio.h>
int a[64], b[64];
_Alignas(16) short c[64];
int main(void) {
  int x = 3, sum = 0;
  unsigned long y = 7;
#pragma omp simd order(concurrent) reduction(+ : sum)
  for (int i = 0; i < 64; i++) {
    a[i] = i;
    sum += i;
  }
#pragma omp simd linear(x : 3) linear(y) safelen(8)
  for (int i = 0; i < 60; i++) {
    b[i] = x + (int)y;
    x += 3;
    if (b[i] & 1)
      a[i] = x;
    y++;
  }
#pragma omp simd aligned(a : 4) nontemporal(b) if(simd : 1)
  for (int i = 0; i < 64; i++)
    a[i] += b[i];
#pragma omp simd aligned(c : 16) if(simd : 0) simdlen(4)
  for (int i = 0; i < 64; i++)
    c[i] = a[i];
  printf("%d %d %lu %d %d\n", x, sum, y, a[59], c[60]);
  return 0;
}
