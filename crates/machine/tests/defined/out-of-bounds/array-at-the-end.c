// As much is allocated as is needed, and the padding after it is not.
typedef unsigned long size_t;
void *malloc(size_t);
struct Flexible { long n; char c; char text[]; };
struct Hack { long n; char text[1]; };
struct Large { int n; struct { int k; char text[64]; } inner; };
union U { int n; char text[64]; };
#define ALLOCATE(type, member, count) malloc(__builtin_offsetof(type, member) + (count))
int main(void) {
  struct Flexible *a = ALLOCATE(struct Flexible, text, 2);
  struct Hack *b = ALLOCATE(struct Hack, text, 3);
  struct Large *c = ALLOCATE(struct Large, inner.text, 4);
  union U *d = malloc(sizeof(int));
  if (!a || !b || !c || !d) return 0;
  a->n = 1, a->c = 2, a->text[1] = 3;
  b->n = 1, b->text[2] = 4;
  c->n = 1, c->inner.k = 2, c->inner.text[3] = 5;
  d->n = 6;
  return a->text[1] + b->text[2] + c->inner.text[3] + d->n != 18;
}
