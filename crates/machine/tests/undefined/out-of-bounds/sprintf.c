int sprintf(char *, const char *, ...);
int main(void) {
  char to[4];
  sprintf(to, "%d", 1000); //~ UB out-of-bounds
  return 0;
}
