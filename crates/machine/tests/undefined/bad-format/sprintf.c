int sprintf(char *, const char *, ...);
int main(void) {
  char text[20];
  sprintf(text, "%ld", 1); //~ UB bad-format
  return 0;
}
