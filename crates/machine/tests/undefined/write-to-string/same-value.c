int main(void) {
  char *text = "abc";
  text[0] = 'a'; //~ UB write-to-string
  return 0;
}
