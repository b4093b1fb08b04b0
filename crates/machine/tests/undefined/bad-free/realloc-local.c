void *realloc(void *, unsigned long);
int main(void) {
  char text[4];
  return realloc(text, 8) == 0; //~ UB bad-free
}
