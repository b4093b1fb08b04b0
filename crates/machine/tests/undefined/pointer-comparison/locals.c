int main(void) {
  int a, b;
  return &a < &b; //~ UB pointer-comparison
}
