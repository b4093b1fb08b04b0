int memcmp(const void *, const void *, unsigned long);
int main(void) {
  int a[2] = { 1, 2 }, b[2];
  b[0] = 1;
  return memcmp(a, b, sizeof a); //~ UB uninitialised
}
