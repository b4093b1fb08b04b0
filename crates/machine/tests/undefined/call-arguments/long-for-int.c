static int f();
int main(void) {
  return f(0l); //~ UB call-arguments
}
static int f(int a) { return a; }
