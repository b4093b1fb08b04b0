int main(void) {
  unsigned x = 0;
  return __builtin_clz(x); //~ UB builtin-argument
}
