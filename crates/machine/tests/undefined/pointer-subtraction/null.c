int main(void) {
  char c, *p = &c, *null = 0;
  long distance = p - null; //~ UB pointer-subtraction
  return distance == 0;
}
