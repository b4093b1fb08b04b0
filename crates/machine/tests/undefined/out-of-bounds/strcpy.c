char *strcpy(char *, const char *);
int main(void) {
  char to[3];
  strcpy(to, "abc"); //~ UB out-of-bounds
  return 0;
}
