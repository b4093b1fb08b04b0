int main(void) {
  int x;
  x++; //~ UB uninitialised
  return 0;
}
