// gcc refuses it; once this was a panic.
// compiler: none
struct s { int n; int a[]; };
int main(void) {
  struct s s = { 1, { 1, 2 } }; //~ UNSUPPORTED initialising a flexible array member
  return s.n;
}
