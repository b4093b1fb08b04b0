struct { signed a : 1; } s;
int main(void) {
  s.a = 0.9;
  s.a = -1.5f;
  s.a = 1.0f; //~ UB float-to-integer
  return s.a;
}
