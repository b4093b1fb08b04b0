unsigned long mask;
int main(void) {
  return __builtin_ctzl(mask); //~ UB builtin-argument
}
