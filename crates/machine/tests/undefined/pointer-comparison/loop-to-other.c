// A loop that runs to the end of another array.
int a[4], b[4];
static int count(int *from, int *to) {
  int n = 0;
  for (; from < to; from++) //~ UB pointer-comparison
    n++;
  return n;
}
int main(void) { return count(a, b + 4); }
