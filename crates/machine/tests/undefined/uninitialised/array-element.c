int main(void) {
  int a[3];
  a[0] = a[2] = 1;
  return a[1]; //~ UB uninitialised
}
