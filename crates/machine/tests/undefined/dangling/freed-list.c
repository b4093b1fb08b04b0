void *malloc(unsigned long);
void free(void *);
struct node { struct node *next; };
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->next = list;
    list = n;
  }
  for (struct node *n = list; n;
       n = n->next) //~ UB dangling
    free(n);
  return 0;
}
