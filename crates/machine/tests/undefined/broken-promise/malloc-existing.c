int object;
__attribute__((malloc)) static int *f(void) {
  return &object; //~ UB broken-promise
}
int main(void) {
  return *f();
}
