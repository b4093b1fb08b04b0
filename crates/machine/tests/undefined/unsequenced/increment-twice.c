int main(void) {
  int i = 0;
  i = i++ + i++; //~ UB unsequenced
  return i;
}
