int main(void) {
  int x = 5;
  __int128 count = -1;
  x >>= count; //~ UB shift-count
  return x;
}
