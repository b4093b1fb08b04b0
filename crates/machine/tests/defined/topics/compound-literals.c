struct s { int a, b; };
static int sum(const struct s *s) { return s->a + s->b; }
int *file_scope = (int[]){ 1, 2, 3 };
int main(void) {
  int total = sum(&(struct s){ 1, 2 }) + (struct s){ .b = 4 }.b;
  for (int i = 0; i < 2; i++) {
    int *p = &(int){ 0 };
    *p += 1;
    total += *p;
  }
  return total + file_scope[2] - 12;
}
