int main(void) {
  int x = 1, *p = &x;
  return x++ + *p; //~ UB unsequenced
}
