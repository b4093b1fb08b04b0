// compiler: clang
// Vectors of clang: swizzles, one number for all lanes, choices by lanes.
int printf(const char *, ...);
typedef int int4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef long long2 __attribute__((ext_vector_type(2)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef unsigned char char16 __attribute__((ext_vector_type(16)));
typedef float float4 __attribute__((ext_vector_type(4)));
struct holder {
    short8 m;
};
int4 g = {1, 2, 3, 4};
long2 rows[3];

static int4 turn(int4 a)
{
    return a.wzyx + a.s0123;
}

int main(void)
{
    int4 l = turn(g);
    l = (int4)3 + l;
    char16 c = (char16)l;
    c = c.s0123456789abcdef + c.sfedcba9876543210;
    int2 h = l.lo + l.hi + l.even + l.odd;
    l = l < g ? l : g;
    // The sign of a lane decides.
    int4 signs = {-5, 5, 0, -1};
    int4 chosen = signs ? l : -l;
    l = ~l;
    l += 2;
    l = l * 2 - 1;
    l[2] ^= 7;
    l.y += 1;
    l.s3 = 5;
    l.x++;
    float4 d = 3;
    d = __builtin_convertvector(l, float4) * 0.5f + d;
    // It becomes a char, then a lane.
    long2 q = (long2)(signed char)300;
    rows[1] = q.yx;
    struct holder t;
    t.m = 9;
    t.m.s7 = 300;
    l = __builtin_shufflevector(l, g, 0, 5, 1, 4);
    int k = 2;
    l[k] = h.y;
    printf("%d %d %d %d\n", l.x, l.s1, l[2], l.w);
    printf("%d %d %d %d\n", chosen.x, chosen.y, chosen.z, chosen.w);
    printf("%d %d %d\n", (int)sizeof(l), h.x, (int)sizeof(l.xy));
    printf("%a %a %d %d\n", d.y, d.s3, c.s3, c[9]);
    printf("%ld %d %d\n", rows[1].x, t.m.s6, t.m.s7);
    return 0;
}
