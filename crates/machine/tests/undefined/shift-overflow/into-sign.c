int main(void) {
  int x = 1;
  return (x << 31) == 0; //~ UB shift-overflow
}
