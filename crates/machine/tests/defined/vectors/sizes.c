// Vectors of 2 to 64 bytes: parameters, results, arrays, records, conversions, floating lanes.
int printf(const char *, ...);

typedef unsigned char B2 __attribute__((vector_size(2)));
typedef signed char C4 __attribute__((vector_size(4)));
typedef short S2 __attribute__((vector_size(4)));
typedef short S32 __attribute__((vector_size(64)));
typedef int I4 __attribute__((vector_size(16)));
typedef unsigned U4 __attribute__((vector_size(16)));
typedef float F4 __attribute__((vector_size(16)));
typedef double D4 __attribute__((vector_size(32)));
typedef long long L1 __attribute__((vector_size(8)));
typedef long long L4 __attribute__((vector_size(32)));

struct Pair { char before; I4 lanes; short after; };
static I4 table[3] = {{1, 2, 3, 4}, {-5}, {7, -8, 9, -10}};
static struct Pair pair = {1, {2, 3, 4, 5}, 6};
static volatile U4 hidden = {~0u, 1, 2, 3};

static B2 narrow(B2 a, C4 b)
{
    a[1] += b[3];
    return a * 3 - (B2)(a > 7);
}

static S32 wide(S32 a, const S32 *b)
{
    return (a ^ *b) + (*b << 1) - (a & 5);
}

static D4 mixed(F4 a, D4 b, int c)
{
    D4 w = __builtin_convertvector(a, D4);
    return (w + b / 4.0) * (double)c;
}

int main(void)
{
    B2 b = narrow((B2){250, 3}, (C4){1, -2, 3, 4});
    printf("%d %d\n", b[0], b[1]);

    S32 s = {0}, t = {0};
    for (int i = 0; i < 32; i++) {
        s[i] = i * 9 - 100;
        t[31 - i] = i;
    }
    s = wide(s, &t);
    long sum = 0;
    for (int i = 0; i < 32; i++)
        sum = sum * 3 % 1000003 + s[i];
    printf("%ld\n", sum);

    D4 d = mixed((F4){1.5f, -2, 0.25f, 8}, (D4){4, 1, -2, 0}, 3);
    printf("%g %g %g %g\n", d[0], d[1], d[2], d[3]);
    L4 m = d > 4.0;
    D4 e = (D4)(((L4)d & m) | ((L4)-d & ~m));
    printf("%g %g %g %g\n", e[0], e[1], e[2], e[3]);
    I4 i = __builtin_convertvector(e, I4);
    printf("%d %d %d %d\n", i[0], i[1], i[2], i[3]);

    for (int k = 0; k < 3; k++)
        table[k] += table[2 - k] * (I4){1, -1, 2, -2} + pair.lanes;
    pair.lanes = table[1] - pair.lanes;
    printf("%d %d %d %d\n", table[0][3], table[1][1], table[2][2], pair.lanes[3]);

    I4 h = (I4)hidden;
    printf("%d %d\n", h[0], (hidden >> 1)[0] == 0x7fffffff);
    L1 one = {5};
    one = (one << 40) | 3;
    printf("%lld %d\n", one[0], ((L1)(one == one))[0] == -1);
    C4 c = __builtin_convertvector((I4){300, -1, 128, 7}, C4);
    S2 view = (S2)(C4){1, 1, 2, 2};
    printf("%d %d %d %d %d %d\n", c[0], c[1], c[2], c[3], view[0], view[1]);
    return 0;
}
