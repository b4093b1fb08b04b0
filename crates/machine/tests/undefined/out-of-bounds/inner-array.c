// The next row follows in memory, but it is another array.
int main(void) {
  int a[2][3] = { { 0 } };
  int i = 3;
  return a[0][i]; //~ UB out-of-bounds
}
