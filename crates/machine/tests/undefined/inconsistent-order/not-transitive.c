typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
  return (int)(a - b); // wraps around
}
int main(void) {
  unsigned numbers[] = {0, 0x70000000, 0xe0000000};
  qsort(numbers, 3, sizeof numbers[0], compare); //~ UB inconsistent-order
  return 0;
}
