// The chosen operand is sequenced after the condition, not before the assignment.
int main(void) {
  int i = 5;
  i = i == 5 ? i++ : i--; //~ UB unsequenced
  return i;
}
