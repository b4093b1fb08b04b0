struct s { int a[2]; };
static const struct s s = { { 1, 2 } };
int main(void) {
  struct s t = { { 0 } };
  *(struct s *)&s = t; //~ UB write-to-const
  return 0;
}
