// permissive
static int f(void) {
  return;
}
int main(void) {
  int x = f(); //~ UB missing-return
  return x;
}
