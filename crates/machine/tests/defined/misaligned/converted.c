// Aligned, or to types that need no alignment.
void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long);
struct __attribute__((packed)) odd { int number; };
typedef int loose __attribute__((aligned(1)));
static char buffer[64] __attribute__((aligned(16)));
int main(void) {
  int from = 1, number;
  int *to = (int *)(buffer + 4), *end = (int *)(buffer + 64), *null = (int *)(char *)0;
  struct odd *odd = (struct odd *)(buffer + 1);
  loose *unaligned = (loose *)(buffer + 3);
  void *bytes = malloc(16);
  long *numbers = bytes;
  if (!bytes) return 0;
  memcpy(to, &from, sizeof from);
  memcpy(&number, to, sizeof number);
  return number - 1 + (end - to != 15) + (null != 0) + ((char *)odd - buffer - 1)
         + ((char *)unaligned - buffer - 3) + (numbers == 0);
}
