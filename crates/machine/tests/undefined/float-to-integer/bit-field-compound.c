struct {
  signed a : 3;
} s = {3};
int main(void) {
  s.a += 1.0; //~ UB float-to-integer
  return s.a;
}
