volatile int v;
int main(void) {
  for (v = 0; v < 5; v++) { }
  v += v;
  return v - 10;
}
