struct { int a : 3, b : 4; } s[100];
int main(void) {
#pragma omp simd
  for (int i = 0; i < 10; i++)
    s[i].b = 1; //~ UNSUPPORTED bit-fields that a loop with a promise assigns
  return 0;
}
