// The array in the value of a call lives as long as the full expression.
struct s { int a[2]; };
static struct s make(void) { return (struct s){ { 1, 2 } }; }
int main(void) {
  int *p = make().a;
  return p[0]; //~ UB dangling
}
