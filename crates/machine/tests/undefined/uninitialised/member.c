struct s { int a, b; };
int main(void) {
  struct s s;
  s.a = 1;
  return s.b; //~ UB uninitialised
}
