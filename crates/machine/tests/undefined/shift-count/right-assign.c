int main(void) {
  int x = 1;
  for (int i = 30; i < 40; i++)
    x >>= i; //~ UB shift-count
  return 0;
}
