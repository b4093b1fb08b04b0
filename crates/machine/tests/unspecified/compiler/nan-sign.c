int main(void) {
  volatile double infinity = __builtin_inf();
  double difference = infinity - infinity;
  return __builtin_signbit(-difference) != 0; //~ UNSPECIFIED compiler
}
