// Compilers refuse the program, unless they find that the call is never reached.
__attribute__((error("no"))) static int f(void) { return 0; }
int main(int argc, char **argv) {
  if (argc > 5) return f(); //~ UNSUPPORTED `f`, which an attribute forbids
  return 0;
}
