int take(int value) { return value; }
int main(void) {
  for (int i = 0; i < 2; i++) {
    int number;
    if (i > 0)
      take(number); //~ UB uninitialised
    number = i;
    take(number);
  }
  return 0;
}
