struct point { int x, y; };
union any { int i; struct point p; float f; };
struct nested { char tag; struct point in[2]; };
int main(void) {
  struct nested n = { 1, { { 1, 2 }, { 3, 4 } } };
  struct point *p = &n.in[1];
  struct point q = *p;
  union any u = { .p = q };
  union any *w = &u;
  q = w->p;
  *p = q;
  int pair[2] = { 5, 6 };
  q = *(struct point *)pair;
  w->f = 1.0f;
  q.x += w->i == 0x3f800000;
  return q.x + q.y + n.in[1].x - 15;
}
