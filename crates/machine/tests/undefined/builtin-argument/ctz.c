int main(void) {
  unsigned x = 0;
  return __builtin_ctz(x); //~ UB builtin-argument
}
