_Alignas(32) char bytes[64];
int main(void) {
  char *p = __builtin_assume_aligned(bytes + 8, 16); //~ UB broken-promise
  return *p;
}
