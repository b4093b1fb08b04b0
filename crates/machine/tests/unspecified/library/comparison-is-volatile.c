typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static volatile int direction = 1;
static int compare(const void *left, const void *right) {
  return direction * (*(const int *)left - *(const int *)right);
}
int main(void) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof numbers[0], compare); //~ UNSPECIFIED library
  return numbers[0];
}
