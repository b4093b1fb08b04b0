static int f(int x) { return x; }
int main(void) {
  int (*g)(long) = (int (*)(long))f;
  return g(1) == 0; //~ UB call-type
}
