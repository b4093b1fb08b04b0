// An object in memory that is an input and an output is in one place, so it keeps its value.
int main(void) {
  unsigned x = 254;
  __asm__ volatile("" : "=m"(x) : "m"(x));
  return x != 254;
}
