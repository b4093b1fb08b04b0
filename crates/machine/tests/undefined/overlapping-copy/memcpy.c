void *memcpy(void *, const void *, unsigned long);
int main(void) {
  char text[8] = "abcdefg";
  memcpy(text + 1, text, 4); //~ UB overlapping-copy
  return 0;
}
