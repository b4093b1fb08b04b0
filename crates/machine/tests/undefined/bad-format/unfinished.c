int printf(const char *, ...);
int main(void) {
  printf("%5", 1); //~ UB bad-format
  return 0;
}
