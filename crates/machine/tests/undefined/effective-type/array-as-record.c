struct pair { int x, y; };
int main(void) {
  int a[3] = { 0 };
  struct pair *p = (struct pair *)a;
  p->y = 1; //~ UB effective-type
  return 0;
}
