int main(void) {
  int *p = 0;
  return *p; //~ UB null-dereference
}
