int main(void) {
  long long x = -9223372036854775807 - 1;
  return __builtin_llabs(x) == 0; //~ UB abs-overflow
}
