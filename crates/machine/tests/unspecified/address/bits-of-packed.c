struct __attribute__((packed)) { char c; int n; } s;
int main(void) {
  return ((unsigned long)&s.c & 1) != 0; //~ UNSPECIFIED address
}
