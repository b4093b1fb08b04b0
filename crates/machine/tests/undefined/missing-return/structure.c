struct s { int a; };
static struct s f(void) { }
int main(void) {
  struct s s = f(); //~ UB missing-return
  return s.a;
}
