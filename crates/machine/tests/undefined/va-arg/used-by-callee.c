static int take(__builtin_va_list list) { return __builtin_va_arg(list, int); } //~ UB va-arg
static int twice(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int first = take(list);
  int second = take(list);
  __builtin_va_end(list);
  return first + second + n;
}
int main(void) { return twice(0, 1, 2); }
