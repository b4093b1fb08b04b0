// C23 6.7.10p11 can be read to set the rest to zero; Clang does not always.
union u { char c; int i[3]; };
int main(void) {
  union u u = {};
  return u.i[2]; //~ UB uninitialised
}
