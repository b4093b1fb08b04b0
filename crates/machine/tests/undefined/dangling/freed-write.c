void *malloc(unsigned long);
void free(void *);
struct node { struct node *next; };
int main(void) {
  struct node *n = malloc(sizeof *n);
  if (!n) return 0;
  free(n);
  n->next = 0; //~ UB dangling
  return 0;
}
