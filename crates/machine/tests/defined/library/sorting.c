typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
int printf(const char *, ...);
static int compare(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}
int main(void) {
  int numbers[] = {5, -3, 9, 1, 7, 2, 2, 0};
  int key = 7;
  qsort(numbers, 8, sizeof numbers[0], compare);
  for (int i = 0; i < 8; i++)
    printf("%d ", numbers[i]);
  int *found = bsearch(&key, numbers, 8, sizeof numbers[0], compare);
  printf("%d\n", (int)(found - numbers));
  key = 8;
  return bsearch(&key, numbers, 8, sizeof numbers[0], compare) != 0;
}
