int printf(const char *, ...);
int main(void) {
  printf("%d\n", 1.0); //~ UB bad-format
  return 0;
}
