extern int elsewhere;
int main(int argc, char **argv) {
  if (argc > 5) return elsewhere; //~ UNSUPPORTED `elsewhere` is declared but defined in none
  return 0;
}
