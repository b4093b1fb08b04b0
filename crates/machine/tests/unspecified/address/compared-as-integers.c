int x, y;
int main(void) {
  if ((unsigned long)&x < (unsigned long)&y) //~ UNSPECIFIED address
    return 1;
  return 0;
}
