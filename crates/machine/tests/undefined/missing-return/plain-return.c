// permissive
static int f(void) {
  return; //~ UB missing-return
}
int main(void) {
  int x = f();
  return x;
}
