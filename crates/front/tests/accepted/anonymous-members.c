struct outer {
    int a;
    struct { int b; union { int c; struct { short lo, hi; }; }; };
    union { long d; double e; };
    struct named { int f; } n;
    struct { int g; } h, *hp;
};
int main(void) {
    struct outer o = { 1, { 2, { 0x30004 } }, { .e = 1.5 }, { 5 }, { 6 } };
    struct outer *p = &o;
    o.hp = &o.h;
    int *address = &p->c;
    return !(o.lo == 4 && p->hi == 3 && o.e == 1.5 && o.n.f == 5 && o.hp->g == 6 && *address == 0x30004
        && __builtin_offsetof(struct outer, hi) == 10);
}
