int take(int value) { return value; }
int main(void) {
  int number;
  for (int i = 0; i < 2; take(number)) { //~ UB uninitialised
    i++;
    if (i == 1)
      continue;
    number = i;
  }
  return 0;
}
