// target: s390x-linux
struct s {
  unsigned a : 6, b : 7, c : 3;
};
int main(void) {
  struct s s;
  s.a = 1;
  s.c = 2;
  if (s.a != 1 || s.c != 2)
    return 1;
  return s.b; //~ UB uninitialised
}
