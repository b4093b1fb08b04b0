// A negative left operand is undefined even if the count is 0.
int main(void) {
  int x = -1, count = 0;
  return x << count; //~ UB shift-overflow
}
