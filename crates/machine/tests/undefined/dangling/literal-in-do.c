// The condition is outside the body, which is a block of its own (C11 6.8.5p5).
int main(void) {
  int *p = 0;
  do p = &(int){ 3 };
  while (*p == 4); //~ UB dangling
  return 0;
}
