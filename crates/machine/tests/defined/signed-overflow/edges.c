int main(void) {
  int big = 2147483647, small = -2147483647 - 1;
  if (big + 0 != big || small - 0 != small) return 1;
  if (big + small != -1) return 2;
  if (small + 1 != -big || big - 1 != 2147483646) return 3;
  if (small / 1 != small || small % 1 != 0) return 4;
  if (46340 * 46340 != 2147395600) return 5;
  if (-big != small + 1) return 6;
  return 0;
}
