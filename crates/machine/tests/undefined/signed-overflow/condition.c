// The controlling expression overflows, not the body.
int main(void) {
  int x = 2147483647;
  if (x + 1 > x) //~ UB signed-overflow
    return 1;
  return 0;
}
