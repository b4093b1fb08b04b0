static int first(char kind, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, kind); //~ UB va-start
  int value = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return value;
}
int main(void) { return first('i', 3); }
