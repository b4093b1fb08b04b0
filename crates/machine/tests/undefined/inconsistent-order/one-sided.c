typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  return *(const int *)left > *(const int *)right; // 0 where -1 is meant
}
int main(void) {
  int numbers[] = {3, 3, 3, 1};
  qsort(numbers, 4, sizeof numbers[0], compare); //~ UB inconsistent-order
  return 0;
}
