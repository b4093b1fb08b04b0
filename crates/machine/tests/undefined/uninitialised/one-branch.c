static int f(int n) {
  int x;
  if (n > 0) x = 1;
  return x; //~ UB uninitialised
}
int main(void) { return f(1) + f(0); }
