_Alignas(32) char bytes[64];
__attribute__((assume_aligned(16))) static char *f(void) {
  return bytes + 4; //~ UB broken-promise
}
int main(void) {
  return *f();
}
