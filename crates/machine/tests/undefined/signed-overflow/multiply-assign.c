int main(void) {
  long long x = 1;
  for (int i = 0; i < 70; i++)
    x *= 2; //~ UB signed-overflow
  return 0;
}
