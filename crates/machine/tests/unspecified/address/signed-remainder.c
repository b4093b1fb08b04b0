static _Alignas(8) char x[16];
int main(void) {
  if ((unsigned long)&x[3] % 8 != 3) return 1;
  // As a signed number, an address may be negative.
  return (long)&x[3] % 8 == 3; //~ UNSPECIFIED address
}
