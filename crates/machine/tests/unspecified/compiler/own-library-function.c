int puts(const char *);
long long llabs(long long x) {
  puts("mine");
  return x;
}
int main(void) {
  volatile long long x = -1;
  return llabs(x) == 1; //~ UNSPECIFIED compiler
}
