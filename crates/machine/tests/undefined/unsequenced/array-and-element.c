int main(void) {
  int a[2] = { 0, 1 }, *p = a;
  *p++ = *p; //~ UB unsequenced
  return 0;
}
