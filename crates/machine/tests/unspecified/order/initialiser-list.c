// not yet: initialiser lists are evaluated in order without a check
// The initialisers of one list are evaluated in any order (C11 6.7.9p23).
int main(void) {
  int i = 0;
  int a[2] = { i++, i++ }; //~ UNSPECIFIED order
  return a[0];
}
