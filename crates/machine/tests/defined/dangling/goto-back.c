// A jump inside a block does not end the lives of its objects.
int main(void) {
  int x = 0, *p = &x;
again:
  if (++*p < 3) goto again;
  return x - 3;
}
