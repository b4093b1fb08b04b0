int main(void) {
  int i;
#pragma omp simd //~ UNSUPPORTED an `omp simd` loop whose counter is declared before it, or not compared in its own type
  for (i = 0; i < 0; i++)
    ;
  return i;
}
