int take(int value) { return value; }
int main(int argc, char **argv) {
  int number;
  for (int i = 1; i < argc; i++)
    number = i;
  return take(number); //~ UB uninitialised
}
