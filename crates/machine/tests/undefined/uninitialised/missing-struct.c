// The value of the call is missing, which shows when a member of it is used.
struct s { int a; };
static struct s f(void) { }
int main(void) {
  struct s s = f();
  return s.a; //~ UB uninitialised
}
