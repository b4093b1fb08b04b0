int a[100];
int main(void) {
#pragma GCC ivdep
  for (int i = 1; i < 10; i++)
    a[i] = a[i - 1]; //~ UB broken-promise
  return 0;
}
