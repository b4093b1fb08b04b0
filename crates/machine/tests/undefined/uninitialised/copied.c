// A copy has no more value than the original.
struct s { int a, b; };
int main(void) {
  struct s s, t;
  s.a = 1;
  t = s;
  return t.b; //~ UB uninitialised
}
