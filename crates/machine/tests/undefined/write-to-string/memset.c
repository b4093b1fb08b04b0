void *memset(void *, int, unsigned long);
int main(void) {
  memset("abc", 0, 2); //~ UB write-to-string
  return 0;
}
