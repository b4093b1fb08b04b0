struct {
  unsigned a : 3;
} s;
int main(void) {
  float nine = 9;
  s.a = nine; //~ UB float-to-integer
  return s.a;
}
