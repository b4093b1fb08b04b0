static int f(int x) { return x; }
int main(void) {
  int (*g)(void) = (int (*)(void))f;
  return g() == 0; //~ UB call-type
}
