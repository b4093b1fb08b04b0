struct node { struct node *next; int value; };
int main(void) {
  struct node last = { 0, 2 }, first = { &last, 1 };
  int sum = 0;
  for (struct node *n = &first; sum < 10; n = n->next)
    sum += n->value; //~ UB null-dereference
  return sum;
}
