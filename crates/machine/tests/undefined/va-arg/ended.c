static int first(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  __builtin_va_end(list);
  return __builtin_va_arg(list, int); //~ UB va-arg
}
int main(void) { return first(1, 2); }
