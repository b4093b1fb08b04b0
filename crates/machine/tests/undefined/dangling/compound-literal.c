int main(void) {
  int *p = 0;
  {
    p = (int[]){ 1, 2 };
  }
  return p[0]; //~ UB dangling
}
