void *malloc(unsigned long);
void free(void *);
struct s { int n; char data[]; };
struct old { int n; char data[1]; };
int main(void) {
  struct s *p = malloc(sizeof(struct s) + 4);
  struct old *q = malloc(sizeof(struct old) + 4);
  if (!p || !q) return 1;
  for (int i = 0; i < 4; i++)
    p->data[i] = q->data[i] = (char)i;
  int last = p->data[3] + q->data[3];
  free(p);
  free(q);
  return last - 6;
}
