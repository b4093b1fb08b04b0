int puts(const char *);
int main(void) {
  return puts("x") != 2; //~ UNSPECIFIED library
}
