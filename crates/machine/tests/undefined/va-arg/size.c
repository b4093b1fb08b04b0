static long first(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  long x = __builtin_va_arg(list, long); //~ UB va-arg
  __builtin_va_end(list);
  return x;
}
int main(void) { return first(1, 2) == 0; }
