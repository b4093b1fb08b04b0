int main(void) {
  int n = 4;
  int *p = __builtin_alloca(sizeof *p);
  for (int i = 1; i < 3; i++) {
    int array[n * i];
    array[0] = i;
    *p = array[0];
  }
  int *q = __builtin_alloca(sizeof *q);
  {
    int fixed[4] = {1};
    *q = fixed[0];
  }
  return *p + *q - 3;
}
