// The two have the same size, but they are different types.
long x;
int main(void) {
  long long *p = (long long *)&x;
  *p = 1; //~ UB effective-type
  return 0;
}
