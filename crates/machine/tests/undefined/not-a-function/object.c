int x;
int main(void) {
  void (*f)(void) = (void (*)(void))&x;
  f(); //~ UB not-a-function
  return 0;
}
