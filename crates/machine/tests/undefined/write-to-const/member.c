struct s { const int a; int b; };
int main(void) {
  struct s s = { 1, 2 };
  int *p = (int *)&s.a;
  *p = 3; //~ UB write-to-const
  return 0;
}
