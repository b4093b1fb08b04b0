// Qualifiers make no difference, and every object may be passed as `void *`.
static int sum(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  const int *a = __builtin_va_arg(list, const int *);
  void *b = __builtin_va_arg(list, void *);
  unsigned char *c = __builtin_va_arg(list, unsigned char *);
  __builtin_va_end(list);
  return *a + *(int *)b + *c;
}
int main(void) {
  int x = 1, y = 2;
  unsigned char z = 3;
  return sum(3, &x, &y, (void *)&z) != 6;
}
