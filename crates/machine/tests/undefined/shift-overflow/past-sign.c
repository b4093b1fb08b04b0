int main(void) {
  int x = 3;
  return (x << 31) == 0; //~ UB shift-overflow
}
