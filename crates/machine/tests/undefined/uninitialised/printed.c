int printf(const char *, ...);
int main(void) {
  char text[4];
  text[0] = 'a';
  printf("%s", text); //~ UB uninitialised
  return 0;
}
