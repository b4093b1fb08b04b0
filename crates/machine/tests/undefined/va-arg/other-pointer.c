static int first(int count, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, count);
  float *p = __builtin_va_arg(list, float *); //~ UB va-arg
  __builtin_va_end(list);
  return p == 0;
}
int main(void) {
  int x = 1;
  return first(1, &x);
}
