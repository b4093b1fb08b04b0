static int first(register int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count); //~ UB va-start
  int value = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return value;
}
int main(void) { return first(1, 3); }
