void f(void) {
  struct s x; //~ an object cannot have type `struct s`
}
