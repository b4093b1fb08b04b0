// GNU vectors: operators lane by lane, conversions and indices.
int printf(const char *, ...);

typedef int V4 __attribute__((vector_size(16)));
typedef unsigned U4 __attribute__((vector_size(16)));
typedef float F4 __attribute__((vector_size(16)));
typedef short S8 __attribute__((vector_size(16)));
typedef signed char C16 __attribute__((vector_size(16)));
typedef unsigned long long L2 __attribute__((vector_size(16)));
typedef int V2 __attribute__((vector_size(8)));

V4 global = {1, 2, 3};
struct { V4 v; int x; } record = {{9, 8, 7, 6}, 5};

static V4 add(V4 a, V4 b) { return a + b; }
static void show(const char *what, V4 v) { printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]); }

int main(void)
{
    V4 a = {1, -2, 3, -4}, b = {5, 6, 7, 8};
    show("add", add(a, b));
    show("sub", a - b);
    show("mul", a * b);
    show("div", b / a);
    show("rem", b % a);
    show("neg", -a);
    show("not", ~a);
    show("and", a & b);
    show("less", a < b);
    show("equal", a == (V4){1, 0, 3, 0});
    show("splat", a + 10);
    show("left", b << 2);
    show("right", a >> (V4){0, 1, 2, 3});
    show("global", global);
    show("member", record.v);
    V4 c = a;
    c += b;
    c *= 2;
    c[1] = 77;
    int i = 3;
    c[i] += 1;
    show("compound", c);
    F4 f = {1.5f, -2.5f, 3.25f, 0.0f};
    f = f * 2.0f + 1.0f;
    printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
    show("compare", f > 0.0f);
    show("convert", __builtin_convertvector(f, V4));
    U4 u = (U4)a;
    u += 0xffffffffu;
    printf("%u %u %u %u\n", u[0], u[1], u[2], u[3]);
    U4 bits = (U4)(F4){1.0f, 2.0f, -1.0f, 0.5f};
    printf("%x %x %x %x\n", bits[0], bits[1], bits[2], bits[3]);
    S8 s = {1, 2, 3, 4, 5, 6, 7, 8};
    s = s * s - (short)1;
    printf("%d %d %d\n", s[0], s[7], (int)sizeof s);
    C16 k = {-128, 127};
    k = k ^ (C16){1, 1};
    printf("%d %d %d\n", k[0], k[1], k[15]);
    V2 half = (V2)0x100000002ULL;
    printf("%d %d %llu\n", half[0], half[1], (unsigned long long)half);
    L2 wide = {1, ~0ULL};
    wide += 1;
    printf("%llu %llu\n", wide[0], wide[1]);
    V4 *p = &a;
    (*p)[0] = 5;
    show("pointer", *p);
    show("conditional", i ? a : b);
    show("comma", (i++, b));
    V4 array[2] = {{1}, {2, 2}};
    array[1] -= array[0];
    show("array", array[1]);
    return 0;
}
