int main(void) {
  _Complex double a, b;
  __real__ a = 1;
  b = a; //~ UB uninitialised
  (void)b;
  return 0;
}
