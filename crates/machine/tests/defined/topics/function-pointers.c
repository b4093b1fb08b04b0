typedef int operation(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static operation *choose(char c) { return c == '+' ? add : sub; }
int main(void) {
  operation *table[] = { add, sub, *choose('+') };
  int r = 0;
  for (int i = 0; i < 3; i++) r = table[i](r, i + 1);
  return choose('-') == sub && choose('+') != sub && r == 2 ? 0 : 1;
}
