unsigned long strlen(const char *);
int main(void) {
  char text[4];
  return (int)strlen(text); //~ UB uninitialised
}
