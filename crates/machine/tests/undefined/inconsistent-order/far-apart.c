// Of forty elements, two that are 13 apart contradict the others.
typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  int a = *(const int *)left, b = *(const int *)right;
  if (a == 5 && b == 18) return 1;
  return a - b;
}
int main(void) {
  int numbers[40];
  for (int i = 0; i < 40; i++)
    numbers[i] = i;
  qsort(numbers, 40, sizeof numbers[0], compare); //~ UB inconsistent-order
  return 0;
}
