typedef int alias __attribute__((may_alias));
int main(void) {
  float f = 1.0f;
  alias *p = (alias *)&f;
  return *p == 0x3f800000 ? 0 : 1;
}
