int take(int value) { return value; }
int main(void) {
  {
    int first = 1;
    take(first);
  }
  {
    int second;
    take(second); //~ UB uninitialised
  }
  return 0;
}
