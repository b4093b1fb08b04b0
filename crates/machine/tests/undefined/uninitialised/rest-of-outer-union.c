union u { long l; struct { union { short s; int i; } a[2]; } in; };
static int part(union u *u, int i) {
  u->l = 0;
  u->in.a[i].i = 1;
  u->in.a[i].s = 2;
  return u->in.a[i].i; //~ UB uninitialised
}
int main(void) {
  union u u;
  return part(&u, 1);
}
