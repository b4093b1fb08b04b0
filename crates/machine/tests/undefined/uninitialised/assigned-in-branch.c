int take(int value) { return value; }
int main(int argc, char **argv) {
  int number;
  if (argc > 1) {
    number = 1;
    take(number);
  }
  return take(number); //~ UB uninitialised
}
