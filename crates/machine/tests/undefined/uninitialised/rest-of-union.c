union u { int i; char c; };
int main(void) {
  union u u;
  u.i = 0x01020304;
  u.c = 5;
  return u.i == 0; //~ UB uninitialised
}
