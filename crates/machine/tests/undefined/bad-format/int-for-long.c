int printf(const char *, ...);
int main(void) {
  printf("%lu\n", 1u); //~ UB bad-format
  return 0;
}
