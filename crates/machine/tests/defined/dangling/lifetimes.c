void *malloc(unsigned long);
void free(void *);
static int *counter(void) {
  static int count;
  return &count;
}
struct s { int a[2]; };
static struct s make(void) { return (struct s){ { 1, 2 } }; }
static int first(const int *a) { return a[0]; }
int main(void) {
  *counter() = 5;
  if (*counter() != 5) return 1;
  int *p = malloc(4), x = 1;
  if (!p) return 2;
  free(p);
  p = &x;
  if (*p != 1) return 3;
  // Compound literals live until the end of their block, strings for ever.
  int *literal = (int[]){ 4, 5 };
  const char *text;
  { text = "abc"; }
  if (literal[1] != 5 || text[2] != 'c') return 4;
  if (first(make().a) != 1 || make().a[1] != 2) return 5;
  return 0;
}
