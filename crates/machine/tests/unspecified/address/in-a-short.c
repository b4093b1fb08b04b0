int main(void) {
  int x = 5;
  unsigned short part = (unsigned short)&x; //~ UNSPECIFIED address
  return part == 0;
}
