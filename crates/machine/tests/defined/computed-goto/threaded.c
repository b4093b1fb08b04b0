int main(void) {
  static void *const table[] = { &&add, &&twice, &&stop };
  const unsigned char code[] = { 0, 1, 0, 1, 2 };
  int value = 0, at = 0;
  goto *table[code[at++]];
add:
  value++;
  goto *table[code[at++]];
twice:
  value *= 2;
  goto *table[code[at++]];
stop:
  return value - 6;
}
