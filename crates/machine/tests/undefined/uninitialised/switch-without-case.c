int take(int value) { return value; }
int main(int argc, char **argv) {
  int number;
  switch (argc) {
    number = 1;
  }
  return take(number); //~ UB uninitialised
}
