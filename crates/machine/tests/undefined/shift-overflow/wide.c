int main(void) {
  __int128 x = 1;
  x = x << 127; //~ UB shift-overflow
  return 0;
}
