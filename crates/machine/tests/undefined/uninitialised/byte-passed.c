// A byte without a value may be copied by an assignment, but not passed.
static void fill(char *bytes, int count) {
  for (int i = 0; i < count; i++) bytes[i] = 1;
}
static int ignore(char byte) { return 0 * sizeof byte; }
int main(void) {
  char bytes[4], copy;
  fill(bytes, 3);
  copy = bytes[3];
  return ignore(copy); //~ UB uninitialised
}
