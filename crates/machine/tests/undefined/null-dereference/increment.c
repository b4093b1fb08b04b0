int main(void) {
  int *p = 0;
  ++*p; //~ UB null-dereference
  return 0;
}
