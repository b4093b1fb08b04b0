int strcmp(const char *, const char *);
int main(void) {
  int order = strcmp("b", "a");
  unsigned char *byte = (unsigned char *)&order;
  return byte[0] != 0; //~ UNSPECIFIED library
}
