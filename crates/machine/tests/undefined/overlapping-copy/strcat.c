char *strcat(char *, const char *);
int main(void) {
  char text[16] = "abc";
  strcat(text, text); //~ UB overlapping-copy
  return 0;
}
