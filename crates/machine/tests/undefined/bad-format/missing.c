int printf(const char *, ...);
int main(void) {
  printf("%d %d\n", 1); //~ UB bad-format
  return 0;
}
