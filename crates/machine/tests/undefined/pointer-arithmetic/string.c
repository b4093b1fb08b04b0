int main(void) {
  const char *p = "ab";
  while (1)
    p++; //~ UB pointer-arithmetic
}
