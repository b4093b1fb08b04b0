int main(void) {
  __int128 x = (__int128)1 << 126;
  x += x; //~ UB signed-overflow
  return 0;
}
