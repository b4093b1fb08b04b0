// One of a thousand elements is at the wrong place.
typedef unsigned long size_t;
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}
int main(void) {
  int numbers[1000], key = 400;
  for (int i = 0; i < 1000; i++)
    numbers[i] = i;
  numbers[777] = 3;
  return bsearch(&key, numbers, 1000, sizeof numbers[0], compare) == 0; //~ UB inconsistent-order
}
