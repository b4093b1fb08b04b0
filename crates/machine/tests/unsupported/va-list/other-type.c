// The front end does not look at the type; once this was a panic.
// compiler: none
static int first(int n, ...) {
  __builtin_va_start(n, n); //~ UNSUPPORTED a va_list of another type
  return n;
}
int main(void) { return first(1, 2); }
