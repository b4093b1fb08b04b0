char *strcpy(char *, const char *);
int main(void) {
  char text[8] = "abc";
  strcpy(text, text + 1); //~ UB overlapping-copy
  return 0;
}
