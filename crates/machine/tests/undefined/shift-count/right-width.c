int main(void) {
  int x = 1, count = 32;
  return x >> count; //~ UB shift-count
}
