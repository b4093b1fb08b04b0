int main(void) {
  const char *a = "blacksmith", *b = "smith";
  return a + 5 == b; //~ UNSPECIFIED compiler
}
