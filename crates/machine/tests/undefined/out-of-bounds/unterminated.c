unsigned long strlen(const char *);
int main(void) {
  char text[3] = { 'a', 'b', 'c' };
  return (int)strlen(text); //~ UB out-of-bounds
}
