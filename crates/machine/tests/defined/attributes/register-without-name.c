int main(void) {
  register int fast = 3;
  return fast - 3;
}
