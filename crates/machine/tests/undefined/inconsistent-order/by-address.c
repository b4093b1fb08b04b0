// C11 7.22.5p4: irrespective of the places of the elements.
typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
struct pair { int key, value; };
static int compare(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->key != b->key) return a->key - b->key;
  return a < b ? -1 : a > b;
}
int main(void) {
  struct pair pairs[] = {{2, 1}, {1, 2}, {2, 3}, {1, 4}};
  qsort(pairs, 4, sizeof pairs[0], compare); //~ UB inconsistent-order
  return 0;
}
