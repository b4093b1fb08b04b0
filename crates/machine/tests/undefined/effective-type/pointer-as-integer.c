int main(void) {
  int x = 0, *p = &x;
  unsigned long n = *(unsigned long *)&p; //~ UB effective-type
  return n == 0;
}
