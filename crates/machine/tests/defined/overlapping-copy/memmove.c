void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
int main(void) {
  char text[8] = "abcdefg";
  memmove(text + 1, text, 4);
  if (text[1] != 'a' || text[4] != 'd' || text[5] != 'f') return 1;
  memcpy(text + 4, text, 4);
  if (text[4] != 'a' || text[7] != 'c') return 2;
  memcpy(text, text, 0);
  return 0;
}
