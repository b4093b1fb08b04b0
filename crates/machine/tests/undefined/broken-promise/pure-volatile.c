volatile int device;
__attribute__((pure)) static int f(int x) {
  return x + device; //~ UB broken-promise
}
int main(void) {
  return f(1);
}
