int printf(const char *, ...);
int main(void) {
  printf("%d\n", 1l); //~ UB bad-format
  return 0;
}
