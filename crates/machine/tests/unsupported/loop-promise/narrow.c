int a[100];
int main(void) {
#pragma omp simd //~ UNSUPPORTED an `omp simd` loop whose counter is declared before it, or not compared in its own type
  for (unsigned char i = 0; i < 10; i++)
    a[i] = 1;
  return 0;
}
