int take(int value) { return value; }
int main(int argc, char **argv) {
  int number;
  int size = argc > 1 ? ({ number = 1; number; }) : 0;
  return size + take(number); //~ UB uninitialised
}
