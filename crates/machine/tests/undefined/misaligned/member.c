struct s { short a; int b; };
void *malloc(unsigned long);
int main(void) {
  char *p = malloc(32);
  if (!p) return 0;
  struct s *s = (struct s *)(p + 2);
  s->b = 1; //~ UB misaligned
  return 0;
}
