long square(long x) {
  return x * x; //~ UB signed-overflow
}
int main(void) {
  return (int)square(3037000500);
}
