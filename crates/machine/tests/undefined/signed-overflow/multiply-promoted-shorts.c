// Unsigned shorts are promoted to int, which is signed.
int main(void) {
  unsigned short x = 65535;
  unsigned y = x * x; //~ UB signed-overflow
  return y == 0;
}
