int main(void) {
  void (*f)(void) = 0;
  f(); //~ UB null-dereference
  return 0;
}
