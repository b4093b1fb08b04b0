union u { unsigned char c; _Bool b; };
int main(void) {
  union u u;
  u.c = 2;
  return u.b; //~ UB invalid-bool
}
