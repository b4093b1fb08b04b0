int main(void) {
  union {
    float number;
    unsigned bits;
  } both;
  float infinity = __builtin_inff();
  both.number = infinity * 0;
  return both.bits == 0x7fc00000; //~ UNSPECIFIED compiler
}
