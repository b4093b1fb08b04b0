// Nothing is accessed as __int128; Clang moves 16 aligned bytes all the same.
void *memcpy(void *, const void *, unsigned long);
static char buffer[64] __attribute__((aligned(16)));
static void copy(__int128 *to, const __int128 *from) { memcpy(to, from, 16); }
int main(void) {
  __int128 from = 1;
  copy((__int128 *)(buffer + 1), &from); //~ UB misaligned
  return 0;
}
