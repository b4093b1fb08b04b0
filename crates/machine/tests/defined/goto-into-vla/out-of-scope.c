int main(void) {
  int n = 3, round = 0;
again:;
  int a[n];
  a[2] = round;
  if (++round < 3) goto again;
  return a[2] - 2;
}
