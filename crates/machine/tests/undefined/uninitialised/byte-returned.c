// A byte without a value may be copied by an assignment, but not returned.
static unsigned char kept;
static unsigned char last(const unsigned char *bytes) {
  return bytes[3]; //~ UB uninitialised
}
int main(void) {
  unsigned char bytes[4];
  bytes[0] = 1;
  kept = last(bytes);
  return 0;
}
