long labs(long);
int main(void) {
  long x = -9223372036854775807 - 1;
  return labs(x) == 0; //~ UB abs-overflow
}
