void *memcpy(void *, const void *, unsigned long);
int main(void) {
  float f = 1.0f;
  int x;
  memcpy(&x, &f, sizeof x);
  return x == 0x3f800000 ? 0 : 1;
}
