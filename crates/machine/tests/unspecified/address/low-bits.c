int x;
int main(void) {
  unsigned long address = (unsigned long)&x;
  return (address >> 4) % 2; //~ UNSPECIFIED address
}
