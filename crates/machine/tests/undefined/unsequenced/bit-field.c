struct s { unsigned a : 4; } s;
int main(void) {
  return s.a++ + s.a++; //~ UB unsequenced
}
