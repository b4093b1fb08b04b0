int main(void) {
  return __builtin_signbit(__builtin_floor(-__builtin_nan(""))) != 0; //~ UNSPECIFIED compiler
}
