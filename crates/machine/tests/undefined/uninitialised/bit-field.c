struct s { unsigned a : 8, b : 8; };
int main(void) {
  struct s s;
  s.a = 1;
  return s.b; //~ UB uninitialised
}
