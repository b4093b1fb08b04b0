// The structure may travel in registers, which have no room for the padding.
void *memset(void *, int, unsigned long);
struct s {
  float a;
  double b;
};
static int f(struct s s) {
  return ((char *)&s)[5]; //~ UB uninitialised
}
int main(void) {
  struct s s;
  memset(&s, 17, sizeof s);
  return f(s);
}
