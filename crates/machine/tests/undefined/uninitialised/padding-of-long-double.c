void *memset(void *, int, unsigned long);
int main(void) {
  long double x;
  memset(&x, 17, sizeof x);
  x = 1;
  return ((char *)&x)[12]; //~ UB uninitialised
}
