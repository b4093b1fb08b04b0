void *memcpy(void *, const void *, unsigned long);
int main(void) {
  int x, y = 1;
  memcpy(&y, &x, sizeof y);
  return y; //~ UB uninitialised
}
