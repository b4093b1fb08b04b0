static int f(int n, ...) { return n; }
int main(void) {
  int (*g)(int, int) = (int (*)(int, int))f;
  return g(1, 2) == 0; //~ UB call-type
}
