// C11 7.1.3p2, although nothing calls it by name: a compiler may copy structures with it.
int puts(const char *);
struct large { char bytes[4000]; } a, b;
void memcpy(int x) { //~ UNSPECIFIED compiler
  puts("called");
}
int main(void) {
  a = b;
  return a.bytes[0];
}
