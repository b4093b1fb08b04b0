union u { int i; struct { char a; short b; } s; };
int main(void) {
  union u u;
  u.i = 0x01020304;
  u.s.a = 5;
  return u.i == 0; //~ UB uninitialised
}
