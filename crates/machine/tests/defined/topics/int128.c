int main(void) {
  unsigned __int128 x = (unsigned __int128)1 << 100;
  __int128 y = -((__int128)1 << 100);
  if ((unsigned long)(x >> 90) != 1024 || y / 1024 != -((__int128)1 << 90)) return 1;
  return (int)(y + (__int128)x);
}
