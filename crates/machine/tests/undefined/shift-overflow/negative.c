int main(void) {
  int x = -1;
  return x << 1; //~ UB shift-overflow
}
