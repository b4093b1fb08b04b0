struct pair { int a, b; };
int main(void) {
  int x = 1;
  struct pair *p = (struct pair *)&x;
  return p->b; //~ UB out-of-bounds
}
