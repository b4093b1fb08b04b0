int main(void) {
  int x = 5;
  int part = (int)(unsigned long)&x; //~ UNSPECIFIED address
  return *(int *)(unsigned long)part;
}
