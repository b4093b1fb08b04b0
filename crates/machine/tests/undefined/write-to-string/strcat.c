char *strcpy(char *, const char *);
int main(void) {
  char *to = "abc";
  strcpy(to, "x"); //~ UB write-to-string
  return 0;
}
