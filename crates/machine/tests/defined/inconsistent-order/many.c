typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}
int main(void) {
  int numbers[300], key = 150, wrong = 0;
  for (int i = 0; i < 300; i++)
    numbers[i] = i * 7 % 300 / 2 * 2; // each number twice
  qsort(numbers, 300, sizeof numbers[0], compare);
  for (int i = 0; i < 300; i++)
    wrong += numbers[i] != i / 2 * 2;
  for (int i = 0; i < 300; i++)
    numbers[i] = i;
  return wrong || bsearch(&key, numbers, 300, sizeof numbers[0], compare) != &numbers[150];
}
