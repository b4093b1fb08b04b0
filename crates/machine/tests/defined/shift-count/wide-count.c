// A count may have any integer type, also one of 128 bits.
int main(void) {
  __int128 count = 127;
  unsigned __int128 last = 31;
  unsigned __int128 x = 1;
  int ok = (x << count) >> 127 == 1 && 1u << last == 0x80000000u;
  int y = -8;
  y >>= (__int128)2;
  return !(ok && y == -2);
}
