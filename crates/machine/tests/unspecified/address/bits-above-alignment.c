static int x;
int main(void) {
  if ((unsigned long)&x & 3) return 1;
  return ((unsigned long)&x & 15) != 0; //~ UNSPECIFIED address
}
