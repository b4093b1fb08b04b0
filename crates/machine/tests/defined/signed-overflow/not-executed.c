// What is not evaluated cannot overflow.
int main(void) {
  int x = 2147483647;
  if (0 && x + 1) return 1;
  if (sizeof(x + 1) != 4) return 2;
  return 1 ? 0 : x + 1;
}
