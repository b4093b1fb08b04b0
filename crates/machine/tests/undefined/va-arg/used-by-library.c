int vprintf(const char *, __builtin_va_list);
static int print(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  vprintf(format, list);
  int again = __builtin_va_arg(list, int); //~ UB va-arg
  __builtin_va_end(list);
  return again;
}
int main(void) { return print("%d\n", 1); }
