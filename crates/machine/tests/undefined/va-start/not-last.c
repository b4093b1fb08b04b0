static int first(int a, int b, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, a); //~ UB va-start
  int value = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return value + b;
}
int main(void) { return first(1, 2, 3); }
