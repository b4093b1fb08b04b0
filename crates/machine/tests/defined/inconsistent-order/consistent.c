typedef unsigned long size_t;
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
int printf(const char *, ...);
struct pair { int key; const char *name; };
static int compare(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  int steps = 0;
  while (a->name[steps] && a->name[steps] == b->name[steps])
    steps++;
  return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                          : a->name[steps] - b->name[steps];
}
int main(void) {
  struct pair pairs[] = {{3, "c"}, {1, "b"}, {1, "a"}, {2, ""}}, key = {1, "b"};
  int many[300];
  for (int i = 0; i < 300; i++)
    many[i] = i * 7 % 300;
  qsort(pairs, 4, sizeof pairs[0], compare);
  struct pair *found = bsearch(&key, pairs, 4, sizeof pairs[0], compare);
  for (int i = 0; i < 4; i++)
    printf("%d%s ", pairs[i].key, pairs[i].name);
  printf("%d %d\n", (int)(found - pairs), many[299]);
  return 0;
}
