unsigned long strlen(const char *);
int strcmp(const char *, const char *);
char *strchr(const char *, int);
char *strcpy(char *, const char *);
char *strcat(char *, const char *);
int memcmp(const void *, const void *, unsigned long);
int main(void) {
  char text[16] = "abc";
  if (strlen(text) != 3 || sizeof text != 16 || text[15] != 0) return 1;
  strcat(strcpy(text, "xy"), "z");
  if (strcmp(text, "xyz") != 0 || strcmp("a", "b") >= 0) return 2;
  if (strchr(text, 'y') != text + 1 || strchr(text, 'q') || *strchr(text, 0)) return 3;
  return memcmp("abc", "abd", 2);
}
