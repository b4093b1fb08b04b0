struct s { short a; int b; };
void *malloc(unsigned long);
int main(void) {
  char *p = malloc(32);
  if (!p) return 0;
  struct s *s = (struct s *)(p + 2); //~ UB misaligned
  s->b = 1;
  return 0;
}
