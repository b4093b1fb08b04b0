static int f(int n, int a[n]) {
  int b[n], sum = 0;
  for (int i = 0; i < n; i++) b[i] = a[i];
  for (int i = 0; i < n; i++) sum += b[i];
  return sum + (int)(sizeof b / sizeof b[0]);
}
int main(void) {
  int a[3] = { 1, 2, 3 };
  return f(3, a) - 9 + f(1, a) - 2;
}
