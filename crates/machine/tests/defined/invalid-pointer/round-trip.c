// An integer that was made from a pointer leads back to the object.
int main(void) {
  int x = 5;
  unsigned long address = (unsigned long)&x;
  int *p = (int *)address;
  *p = 0;
  // A pointer that is never dereferenced may be made from any integer.
  char *marker = (char *)64;
  return marker == 0 ? 1 : x;
}
