int main(void) {
  const char *a = "farrier", *b = "farrier";
  return a == b; //~ UNSPECIFIED compiler
}
