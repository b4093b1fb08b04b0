struct s { int a; volatile int b; };
int main(void) {
  struct s s = { 1, 2 };
  int *p = (int *)&s.b;
  *p = 3; //~ UB volatile-access
  return 0;
}
