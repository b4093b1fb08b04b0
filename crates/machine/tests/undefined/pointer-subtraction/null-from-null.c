// As with null + 0, there is no array to point into.
int main(void) {
  int *p = 0, *q = 0;
  return p - q; //~ UB pointer-subtraction
}
