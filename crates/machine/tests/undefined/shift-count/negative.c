int main(void) {
  int x = 1, count = -1;
  return x << count; //~ UB shift-count
}
