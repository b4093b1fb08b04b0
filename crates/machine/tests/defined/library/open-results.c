// Of some results only the sign is specified, or whether they are zero: that may be used.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
  return strcmp(*(const char **)a, *(const char **)b);
}

static int descending(const void *a, const void *b) {
  return -strcmp(*(const char **)a, *(const char **)b);
}

struct order {
  int before;
  int value;
  long wide;
};

static struct order order(const char *a, const char *b) {
  struct order result = {1, strcmp(a, b), memcmp(a, b, 1)};
  return result;
}

int main(void) {
  const char *words[] = {"tongs", "anvil", "hammer"};
  qsort(words, 3, sizeof *words, ascending);
  printf("%s %s %s\n", words[0], words[1], words[2]);
  qsort(words, 3, sizeof *words, descending);
  printf("%s %s %s\n", words[0], words[1], words[2]);
  struct order found = order("b", "a"), copy;
  memcpy(&copy, &found, sizeof copy);
  for (unsigned i = 0; i < sizeof copy; i++)
    ((unsigned char *)&copy)[i] = ((unsigned char *)&found)[i];
  if (copy.value <= 0 || !(copy.wide > 0) || copy.value == 0 || copy.value < 1)
    return 1;
  if (strcmp("a", "b") >= 0 || 0 < strcmp("a", "b") || strncmp("a", "b", 1) > -1)
    return 2;
  if (strcmp("a", "a") + strcmp("b", "b") != 0)
    return 3;
  if (strcmp("a", "b") == strcmp("b", "a"))
    return 4;
  if (!(isdigit)('1') || (isdigit)('x') != 0 || (isalpha)('x') == 0)
    return 5;
  _Bool digit = (isdigit)('7');
  if (puts("done") < 0 || puts("done") == EOF)
    return 6;
  return digit ? 0 : 7;
}
