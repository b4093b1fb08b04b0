union u { int i; unsigned u; };
int main(void) {
  union u u = { 1 };
  return (u.i = 2) + (int)u.u; //~ UB unsequenced
}
