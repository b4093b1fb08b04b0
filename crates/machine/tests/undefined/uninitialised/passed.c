static int f(int x) { return x; }
int main(void) {
  int x;
  return f(x); //~ UB uninitialised
}
