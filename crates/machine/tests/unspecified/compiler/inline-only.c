inline int one(void) { return 1; }
int main(void) {
  return one() - 1; //~ UNSPECIFIED compiler
}
