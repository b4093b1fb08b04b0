static int f(int x) { return x; }
int main(void) {
  long (*g)(int) = (long (*)(int))f;
  return g(1) == 0; //~ UB call-type
}
