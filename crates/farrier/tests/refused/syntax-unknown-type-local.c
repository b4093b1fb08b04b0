int main(void) {
  size_t n = 1; //~ `size_t` is not declared
  return 0;
}
