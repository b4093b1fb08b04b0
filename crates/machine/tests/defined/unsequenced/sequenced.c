static int add(int a, int b) { return a + b; }
int g;
static int next(void) { return ++g; }
int main(void) {
  int i = 0, a[3] = { 0 };
  i = i + 1;
  i = (i++, i + 1);
  if (i != 3) return 1;
  i++ && i++;
  if (i != 5) return 2;
  (i == 5 ? i++ : i--);
  i--;
  if (i != 5) return 3;
  a[1] = a[2] = i;
  i += add(i, i);
  if (i != 15) return 4;
  if (next() + 1 != 2 || next() != 2) return 5;
  int j = 0, k = 0;
  if (j++ + k++ != 0) return 6;
  for (i = 0, j = 3; i < j; i++, j--) { }
  return i - 2;
}
