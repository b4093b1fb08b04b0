int main(void) {
  int x = ({ int t = 1; for (int i = 0; i < 3; i++) t *= 2; t; });
  return x - 8;
}
