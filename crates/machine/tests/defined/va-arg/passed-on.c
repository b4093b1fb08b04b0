static int rest(__builtin_va_list list) { return __builtin_va_arg(list, int); }
static int forward(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int x = rest(list);
  __builtin_va_end(list);
  return x;
}
int main(void) { return forward(1, 9) - 9; }
