struct s { int a, b; };
static long all(const char *kinds, ...) {
  __builtin_va_list list, copy;
  long total = 0;
  __builtin_va_start(list, kinds);
  for (const char *k = kinds; *k; k++)
    switch (*k) {
    case 'i': total += __builtin_va_arg(list, int); break;
    case 'u': total += __builtin_va_arg(list, unsigned); break;
    case 'l': total += __builtin_va_arg(list, long); break;
    case 'd': total += (long)__builtin_va_arg(list, double); break;
    case 'p': total += *__builtin_va_arg(list, int *); break;
    case 's': total += __builtin_va_arg(list, struct s).b; break;
    case 'c':
      __builtin_va_copy(copy, list);
      total += __builtin_va_arg(copy, int);
      __builtin_va_end(copy);
      break;
    }
  __builtin_va_end(list);
  return total;
}
int main(void) {
  int x = 5;
  struct s s = { 1, 2 };
  // An int that is not negative may be taken as unsigned.
  if (all("iuldpscci", 'a', 1, 2l, 3.0f, &x, s, 7) != 97 + 1 + 2 + 3 + 5 + 2 + 7 + 7 + 7) return 1;
  if (all("", 1, 2) != 0) return 2;
  return 0;
}
