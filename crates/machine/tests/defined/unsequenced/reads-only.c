int g = 2;
static int get(void) { return g; }
int main(void) {
  int i = 3, *p = &i;
  if (i * i + *p != 12) return 1;
  return get() + g - get() - g;
}
