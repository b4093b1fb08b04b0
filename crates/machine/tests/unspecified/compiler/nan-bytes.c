int main(void) {
  double zero = 0, result = zero / zero;
  unsigned char copy[sizeof result];
  __builtin_memcpy(copy, &result, sizeof copy);
  return copy[7] >> 7; //~ UNSPECIFIED compiler
}
