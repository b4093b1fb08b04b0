// Each iteration has a new object.
int main(void) {
  int *old = 0;
  for (int i = 0; i < 2; i++) {
    int x = i;
    if (i)
      return *old; //~ UB dangling
    old = &x;
  }
  return 0;
}
