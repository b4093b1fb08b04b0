// The char gives the int one byte only.
union u { char c; int i; };
int main(void) {
  union u u;
  u.c = 1;
  return u.i; //~ UB uninitialised
}
