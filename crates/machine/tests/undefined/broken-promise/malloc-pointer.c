#include <stdlib.h>
struct node { struct node *next; };
__attribute__((malloc)) static struct node *make(void) {
  struct node *n = malloc(sizeof *n);
  if (n) n->next = n;
  return n; //~ UB broken-promise
}
int main(void) {
  free(make());
  return 0;
}
