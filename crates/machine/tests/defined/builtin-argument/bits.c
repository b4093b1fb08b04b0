int main(void) {
  unsigned x = 1, zero = 0;
  if (__builtin_clz(x) != 31 || __builtin_ctz(x << 31) != 31) return 1;
  if (__builtin_clzll(1) != 63 || __builtin_ctzl(8) != 3) return 2;
  // These have an answer for 0.
  if (__builtin_popcount(zero) || __builtin_ffs(0) || __builtin_parity(zero)) return 3;
  if (__builtin_clrsb(0) != 31) return 4;
  return 0;
}
