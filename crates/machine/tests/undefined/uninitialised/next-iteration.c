// Each time the block is entered, the object is a new one without a value.
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    int x;
    if (i == 0) x = 1;
    sum += x; //~ UB uninitialised
  }
  return sum;
}
