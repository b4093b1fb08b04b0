int main(void) {
  const char *text = "abc";
  return text[4]; //~ UB out-of-bounds
}
