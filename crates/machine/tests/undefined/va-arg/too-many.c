static int sum(int n, ...) {
  __builtin_va_list list;
  int total = 0;
  __builtin_va_start(list, n);
  for (int i = 0; i < n; i++)
    total += __builtin_va_arg(list, int); //~ UB va-arg
  __builtin_va_end(list);
  return total;
}
int main(void) { return sum(3, 1, 2); }
