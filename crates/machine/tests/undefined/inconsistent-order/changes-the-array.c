typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  int *a = (int *)left;
  *a += 1;
  return *a - *(const int *)right;
}
int main(void) {
  int numbers[] = {3, 2, 1};
  qsort(numbers, 3, sizeof numbers[0], compare); //~ UB inconsistent-order
  return 0;
}
