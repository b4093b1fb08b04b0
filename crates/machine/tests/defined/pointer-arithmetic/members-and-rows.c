#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node { int key; struct node *next; };
struct item { char tag; struct node node; char name[6]; int rows[2][3]; };
struct tail { int n; int values[1]; };
struct open { int n; int values[]; };
union both { int whole; struct { short low, high; } halves; };

#define CONTAINER(pointer, type, member) \
  ((type *)((char *)(pointer) - offsetof(type, member)))

/* From a member to what is around it. */
static int around(void) {
  struct item item = { 'x', { 4, 0 }, "abcde", { { 1, 2, 3 }, { 4, 5, 6 } } };
  struct node *node = &item.node;
  if (CONTAINER(node, struct item, node)->tag != 'x') return 1;
  char *name = item.name;
  if (CONTAINER(name, struct item, name)->node.key != 4) return 2;
  int *key = &node->key;
  if (((struct node *)key)->next != 0) return 3;
  uintptr_t address = (uintptr_t)&item.rows[1][1];
  struct item *same = (struct item *)(address - offsetof(struct item, rows) - 4 * sizeof(int));
  if (same->tag != 'x') return 4;
  void *nothing = &item.tag;
  struct item *again = nothing;
  return again->node.key == 4 ? 0 : 5;
}

/* Characters go through the whole object, and so does a cast to the element. */
static int through(void) {
  struct item item;
  memset(&item, 0, sizeof item);
  unsigned char *bytes = (unsigned char *)&item.name;
  for (size_t i = 0; i < sizeof item - offsetof(struct item, name); i++) bytes[i] = 1;
  if (item.rows[1][2] != 0x01010101) return 1;
  int a[3][4], sum = 0;
  for (int *p = (int *)a; p < (int *)(a + 3); p++) *p = 2;
  for (int(*row)[4] = a; row < a + 3; row++)
    for (int *p = *row; p < *row + 4; p++) sum += *p;
  if (sum != 24) return 2;
  int *last = &a[2][3];
  return last - 3 == a[2] && last + 1 == (int *)&a[3] && last[-3] == 2 ? 0 : 3;
}

/* Arrays at the end of a record are as large as the program made them. */
static int ends(void) {
  struct tail *tail = malloc(sizeof *tail + 3 * sizeof(int));
  struct open *open = malloc(sizeof *open + 3 * sizeof(int));
  if (!tail || !open) return 0;
  int *p = tail->values, *q = open->values;
  for (int i = 0; i < 3; i++) p[i] = q[i] = i;
  q = &open->values[1];
  int result = tail->values[2] + *++q;
  free(tail);
  free(open);
  return result == 4 ? 0 : 1;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int sum(const int *restrict p, int n) {
  int sum = 0;
  while (n--) sum += *p++;
  return sum;
}

/* A pointer stays in its part, whatever carries it. */
static int inside(void) {
  struct item items[2] = { { .rows = { { 3, 2, 1 } } }, { .name = "abc" } };
  qsort(items[0].rows[0], 3, sizeof(int), compare);
  if (items[0].rows[0][0] != 1 || sum(items[0].rows[0], 3) != 6) return 1;
  struct item *item = items;
  item = &item[1];
  strcat(item->name, "de");
  if (strlen((item - 1)[1].name) != 5 || memcmp(item->name, "abcde", 6) != 0) return 2;
  memcpy(items[1].rows, items[0].rows, sizeof items[1].rows);
  if (*(items[1].rows[0] + 2) != 3) return 3;
  union both both = { .whole = 0 };
  short *low = &both.halves.low;
  low[0] = 1;
  if (((short *)&both)[0] != 1) return 4;
  const int *element = &items[1].rows[0][0];
  unsigned *other = (unsigned *)element;
  return other[2] == 3 && element + 3 == items[1].rows[1] ? 0 : 5;
}

int main(void) {
  return around() || through() || ends() || inside();
}
