int printf(const char *, ...);
int main(void) {
  printf("%s\n", 1); //~ UB bad-format
  return 0;
}
