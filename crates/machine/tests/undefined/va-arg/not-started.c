static int first(int n, ...) {
  __builtin_va_list list;
  int x = __builtin_va_arg(list, int); //~ UB va-arg
  return x;
}
int main(void) { return first(1, 2); }
