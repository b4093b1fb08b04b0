int main(void) {
  unsigned __int128 x = 1;
  int count = 128;
  return (int)(x << count); //~ UB shift-count
}
