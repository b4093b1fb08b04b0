static unsigned first(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  unsigned value = __builtin_va_arg(list, unsigned); //~ UB va-arg
  __builtin_va_end(list);
  return value;
}
int main(void) { return first(1, -1) == 0; }
