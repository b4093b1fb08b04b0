static int bits(float *f) {
  return *(int *)f; //~ UB effective-type
}
int main(void) {
  float f = 1.0f;
  return bits(&f) == 0;
}
