int abs(int);
int main(void) {
  int x = -2147483647 - 1;
  return abs(x) == 0; //~ UB abs-overflow
}
