// The neighbour in the same byte has a value, this one has none.
struct s {
  int a : 3, b : 5;
};
int main(void) {
  struct s s;
  s.a = 1;
  return s.b; //~ UB uninitialised
}
