// no-strict-aliasing
int main(void) {
  float f = 1.0f;
  int *p = (int *)&f;
  return *p == 0x3f800000 ? 0 : 1;
}
