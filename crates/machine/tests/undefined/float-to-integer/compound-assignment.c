int main(void) {
  int x = 2147483647;
  x += 1.0; //~ UB float-to-integer
  return 0;
}
