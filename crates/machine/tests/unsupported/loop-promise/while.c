int a[100];
int main(void) {
  int i = 0;
#pragma GCC ivdep //~ UNSUPPORTED a promise about a loop that is no `for` with a condition and a step
  while (i < 10)
    a[i++] = 1;
  return 0;
}
