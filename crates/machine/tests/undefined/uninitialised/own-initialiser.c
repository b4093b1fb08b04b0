int take(int value) { return value; }
int main(void) {
  int number = take(number); //~ UB uninitialised
  return number;
}
