int main(void) {
  unsigned long long x = 1;
  x >>= 1;
  return __builtin_clzll(x); //~ UB builtin-argument
}
