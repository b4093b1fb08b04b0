// target: aarch64-linux
int main(void) {
  long double zero = 0, result = zero / zero;
  union {
    long double number;
    unsigned long words[2];
  } both = {-result};
  return both.words[1] >> 63; //~ UNSPECIFIED compiler
}
