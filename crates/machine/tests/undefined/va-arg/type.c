static double first(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  double d = __builtin_va_arg(list, double); //~ UB va-arg
  __builtin_va_end(list);
  return d;
}
int main(void) { return first(1, 2) == 0; }
