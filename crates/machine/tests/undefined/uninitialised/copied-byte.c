int main(void) {
  unsigned char a[2], b;
  a[0] = 1;
  b = a[1];
  return b + 1; //~ UB uninitialised
}
