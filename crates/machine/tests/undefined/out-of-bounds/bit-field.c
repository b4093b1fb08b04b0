struct s { unsigned a : 4, b : 4; };
struct s s[2];
int main(void) {
  struct s *p = s + 2;
  return p->b; //~ UB out-of-bounds
}
