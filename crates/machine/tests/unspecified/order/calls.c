static int last;
static int set(int n) { return last = n; }
int main(void) {
  int sum = set(1) + set(2); //~ UNSPECIFIED order
  return last - sum;
}
