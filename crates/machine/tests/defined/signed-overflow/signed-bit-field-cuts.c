struct s { int f : 3; };
int main(void) {
  struct s s = { 3 };
  s.f++;
  return s.f == -4 ? 0 : 1;
}
