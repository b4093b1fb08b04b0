int main(void) {
  long double x = 1.0L / 3.0L, y = x * 3.0L;
  return y == 1.0L && (double)x > 0.33 && (int)(x * 100.0L) == 33 ? 0 : 1;
}
