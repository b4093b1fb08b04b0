struct s { int a, b; };
int main(void) {
  struct s s = { 1, 2 };
  return s.a++ * s.a; //~ UB unsequenced
}
