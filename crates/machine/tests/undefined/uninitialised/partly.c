// Three of the four bytes have values.
void *memset(void *, int, unsigned long);
int main(void) {
  int x;
  memset(&x, 0, 3);
  return x; //~ UB uninitialised
}
