// &a[N] is a + N: nothing is accessed.
int a[4];
int main(void) {
  int n = 4, count = 0;
  for (int *p = &a[0]; p != &a[n]; p++)
    count++;
  return count - 4;
}
