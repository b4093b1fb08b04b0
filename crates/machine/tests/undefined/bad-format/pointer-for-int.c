int printf(const char *, ...);
int main(void) {
  int x = 0;
  printf("%x\n", &x); //~ UB bad-format
  return 0;
}
