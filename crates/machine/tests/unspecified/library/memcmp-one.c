int memcmp(const void *, const void *, unsigned long);
int main(void) {
  return memcmp("b", "a", 1) == 1; //~ UNSPECIFIED library
}
