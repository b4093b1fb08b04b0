// A char is passed as an int, and must be taken as one.
static int first(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int x = __builtin_va_arg(list, char); //~ UB va-arg
  __builtin_va_end(list);
  return x;
}
int main(void) { return first(1, (char)2) == 0; }
