int main(void) {
  int n = 4, *p = 0;
  {
    int array[n];
    array[0] = 1;
    p = __builtin_alloca(sizeof *p);
    *p = array[0];
  }
  return *p; //~ UB dangling
}
