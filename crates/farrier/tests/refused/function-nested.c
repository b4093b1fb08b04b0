int main(void) {
  int g(int a) { return a; } //~ nested functions are not supported
  return g(0);
}
