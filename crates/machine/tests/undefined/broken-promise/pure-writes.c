int calls;
__attribute__((pure)) static int f(int x) {
  calls++; //~ UB broken-promise
  return x;
}
int main(void) {
  return f(1) + calls;
}
