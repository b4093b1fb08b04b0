int main(void) {
  int (*f)(void) = (int (*)(void))4096;
  return f(); //~ UB not-a-function
}
