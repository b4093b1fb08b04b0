int main(void) {
  unsigned __int128 x = 1;
  unsigned __int128 count = (unsigned __int128)1 << 64;
  return (int)(x << count); //~ UB shift-count
}
