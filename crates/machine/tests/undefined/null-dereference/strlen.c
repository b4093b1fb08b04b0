unsigned long strlen(const char *);
int main(void) {
  const char *text = 0;
  return (int)strlen(text); //~ UB null-dereference
}
