int a[100];
int main(void) {
  int *p = a;
#pragma GCC ivdep
  for (int i = 0; i < 10; i++)
    p[i / 2] = i; //~ UB broken-promise
  return 0;
}
