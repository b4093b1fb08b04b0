int main(void) {
  int *p = 0;
  *p = 1; //~ UB null-dereference
  return 0;
}
