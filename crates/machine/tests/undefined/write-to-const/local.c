int main(void) {
  const int x = 1;
  *(int *)&x = 2; //~ UB write-to-const
  return x;
}
