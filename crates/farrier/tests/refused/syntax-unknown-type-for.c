void f(void) {
  for (size_t i = 0; i < 3; i++) ; //~ `size_t` is not declared
}
