// Through the union, in any order; through one pointer; through another after a store to it.
union u { int i; float f; short s[2]; struct { unsigned low : 16, high : 16; } b; };
struct box { int tag; union u u[2]; };
int main(void) {
  union u u;
  u.f = 0;
  int sum = u.i;
  int *i = &u.i;
  float *f = &u.f;
  *i = 5;
  sum += *i + u.b.low;
  *f = 0;
  sum += u.i + (*f == 0);
  u.i = 0;
  sum += *f == 0;
  struct box box = { 0 }, *p = &box;
  for (int k = 0; k < 2; k++) {
    p->u[k].f = 0;
    sum += p->u[k].i + p->u[k].s[k];
    union u *q = &p->u[k];
    q->i = 3;
    sum += q->s[0] + q->b.low;
  }
  for (int k = 0; k < 2; k++) {
    union u fresh;
    if (k) {
      fresh.f = 0;
      sum += *&fresh.i;
    } else {
      int *first = &fresh.i;
      *first = 0;
    }
  }
  return sum - 24;
}
