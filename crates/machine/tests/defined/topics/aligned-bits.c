// The bits of an address below the alignment of its object are known.
#include <stddef.h>
#include <stdint.h>

struct pair { char tag; int value; };
typedef int wide __attribute__((aligned(64)));
static _Alignas(32) char buffer[64];
static struct pair pairs[2];

static int is_aligned(const void *p, size_t align) {
  return ((ptrdiff_t)p & (align - 1)) == 0;
}

int main(void) {
  long long n = 0;
  wide w = 0;
  if (!is_aligned(&n, _Alignof(long long)) || !is_aligned(&w, 64)) return 1;
  if ((uintptr_t)(buffer + 5) % 8 != 5 || (31 & (uintptr_t)&buffer[33]) != 1) return 2;
  if (((uintptr_t)&pairs[1].value & 3) || ((uintptr_t)&pairs[0].tag & 1)) return 3;
  // The next multiple of the alignment is in the object, and so is the one before.
  char *up = (char *)(((uintptr_t)(buffer + 7) + 15) & ~(uintptr_t)15);
  char *down = (char *)((uintptr_t)(buffer + 47) & -16);
  *up = 1;
  *down = 2;
  return buffer[16] == 1 && buffer[32] == 2 ? 0 : 4;
}
