int vprintf(const char *, __builtin_va_list);
struct pair { int a; double b; };
static void print(const char *format, ...) {
  __builtin_va_list list, copy;
  __builtin_va_start(list, format);
  __builtin_va_copy(copy, list);
  vprintf(format, list);
  vprintf(format, copy);
  __builtin_va_end(copy);
  __builtin_va_end(list);
}
static double sum(int count, ...) {
  double total = 0;
  __builtin_va_list list;
  __builtin_va_start(list, count);
  while (count-- > 0) {
    struct pair pair = __builtin_va_arg(list, struct pair);
    total += pair.a + pair.b;
  }
  __builtin_va_end(list);
  return total;
}
int main(void) {
  struct pair pair = {1, 0.5};
  print("%d %s %Lf\n", 1, "two", 3.5L);
  return sum(2, pair, pair) != 3;
}
