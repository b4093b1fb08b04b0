enum E { A, B };
struct S { char c; };
#define FIRST(name, type)                                                                         \
  static int name(char other, type last, ...) {                                                   \
    __builtin_va_list list;                                                                       \
    (void)other;                                                                                  \
    __builtin_va_start(list, last);                                                               \
    int value = __builtin_va_arg(list, int);                                                      \
    __builtin_va_end(list);                                                                       \
    return value;                                                                                 \
  }
FIRST(of_int, int)
FIRST(of_enum, enum E)
FIRST(of_double, double)
FIRST(of_pointer, const char *)
FIRST(of_record, struct S)
int main(void) {
  struct S s = { 1 };
  return of_int(1, 2, 3) + of_enum(1, B, 4) + of_double(1, 2.0, 5) + of_pointer(1, "x", 6) +
             of_record(1, s, 7) != 25;
}
