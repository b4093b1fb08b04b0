int main(void) {
  int a[3] = { 0 }, i = 0;
  a[i] = i++; //~ UB unsequenced
  return a[0];
}
