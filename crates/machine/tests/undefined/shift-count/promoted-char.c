// The left operand is promoted to int: the width that counts is 32.
int main(void) {
  unsigned char x = 1;
  int count = 32;
  return x >> count; //~ UB shift-count
}
