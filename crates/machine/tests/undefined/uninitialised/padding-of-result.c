void *memset(void *, int, unsigned long);
struct s {
  char a;
  int b;
} global;
static struct s f(void) { return global; }
int main(void) {
  struct s s = f();
  return ((char *)&s)[1]; //~ UB uninitialised
}
