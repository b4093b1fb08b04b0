// The classic: a comparison function with the wrong pointer type.
static int compare(int *a, int *b) { return *a - *b; }
int main(void) {
  int x = 1, y = 2;
  int (*f)(const void *, const void *) = (int (*)(const void *, const void *))compare;
  return f(&x, &y) == 0; //~ UB call-type
}
