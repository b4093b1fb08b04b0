void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void *calloc(unsigned long, unsigned long);
void free(void *);
struct s { char c; int i; };
static void set(int *p) { *p = 0; }
static int global;
int main(void) {
  int x, a[4];
  struct s s = { .c = 1 };
  set(&x);
  memset(a, 0, sizeof a);
  int *p = calloc(2, 4);
  if (!p) return 1;
  x += a[3] + p[1] + s.i + global;
  free(p);
  int partial[4] = { 1 };
  return x + partial[3];
}
