int main(void) {
  char *text = "abc";
  text[0] = 'x'; //~ UB write-to-string
  return 0;
}
