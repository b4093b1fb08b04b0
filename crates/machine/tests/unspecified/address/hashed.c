static unsigned hash(void *p) {
  return (unsigned)(unsigned long)p * 31; //~ UNSPECIFIED address
}
int main(void) {
  int x;
  return hash(&x) % 7;
}
