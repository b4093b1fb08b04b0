static int *saved;
static void save(void) {
  int x = 3;
  saved = &x;
}
static int overwrite(void) {
  int a[4] = { 1, 2, 3, 4 };
  return a[3];
}
int main(void) {
  save();
  overwrite();
  return *saved; //~ UB dangling
}
