int main(void) {
  float zero = 0;
  return __builtin_copysign(1, zero / zero) > 0; //~ UNSPECIFIED compiler
}
