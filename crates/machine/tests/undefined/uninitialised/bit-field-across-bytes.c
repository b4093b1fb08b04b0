struct s {
  unsigned a : 6, b : 7, c : 3;
};
int main(void) {
  struct s s;
  s.a = 1;
  s.c = 2;
  return s.b; //~ UB uninitialised
}
