struct s { char name[4]; int next; };
int main(void) {
  struct s s = { "abc", 1 };
  int i = 5;
  return s.name[i]; //~ UB out-of-bounds
}
