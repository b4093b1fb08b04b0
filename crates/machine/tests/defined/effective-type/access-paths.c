// Structures inside of others, and pointers to their parts.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct base { int tag, count; };
struct derived { struct base base; double value; };
struct list { struct list *next; int key; };
struct holder { int before; struct list link; int rows[3][2]; };
struct other { struct base base; float f; };
union shape { struct base base; struct derived derived; };

static int count(struct base *b) { return ++b->count; }
static int row(int (*rows)[2], int i) { return rows[i][1]; }

int main(void) {
    struct derived d = {{1, 2}, 3};
    int sum = count((struct base *)&d);
    sum += count(&d.base);
    struct derived *back = (struct derived *)&d.base;
    sum += back->base.tag + (int)back->value;

    struct holder h = {1, {0, 2}, {{1, 2}, {3, 4}, {5, 6}}};
    struct list *link = &h.link;
    struct holder *up = (struct holder *)((char *)link - offsetof(struct holder, link));
    sum += up->link.key + link->key + row(up->rows, 2) + up->rows[1][0];

    struct derived *m = malloc(3 * sizeof *m);
    m->base.tag = 4;
    m->base.count = 5;
    m->value = 6;
    sum += count((struct base *)m);
    sum += m->base.count;
    m[1] = m[0];
    sum += m[1].base.tag + ((struct base *)&m[1])->count;
    memcpy(m + 2, m + 1, sizeof *m);
    sum += m[2].base.count;
    // A part that was copied belongs to what it was copied into.
    struct other *o = malloc(sizeof *o);
    memcpy(&o->base, &m->base, sizeof o->base);
    sum += o->base.count;
    o->base = d.base;
    sum += o->base.tag;
    struct base whole = o->base;
    sum += whole.count;
    // Memory may be used again for another type.
    struct holder *again = (struct holder *)m;
    again->rows[2][1] = 7;
    again->link.key = 8;
    for (int i = 0; i < 2; i++)
        again->rows[i][i] = i;
    sum += again->rows[2][1] + again->link.key + again->rows[1][1];
    // Plain integers may become members.
    int *pair = malloc(2 * sizeof *pair);
    pair[0] = 1;
    pair[1] = 2;
    struct base *b = (struct base *)pair;
    sum += b->tag + pair[1];
    b->count = 9;
    sum += pair[1];
    union shape *s = malloc(sizeof *s);
    s->derived.base.tag = 3;
    sum += s->base.tag + ((struct base *)s)->tag;
    struct base *inside = &s->base;
    inside->tag = 2;
    sum += s->derived.base.tag;
    free(m), free(o), free(pair), free(s);
    return sum - 99;
}
