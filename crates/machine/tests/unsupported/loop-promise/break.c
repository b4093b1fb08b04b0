int a[100];
int main(void) {
#pragma GCC ivdep //~ UNSUPPORTED a promise about a loop with jumps, assembly or definitions in it
  for (int i = 0; i < 10; i++) {
    if (a[i])
      break;
    a[i] = 1;
  }
  return 0;
}
