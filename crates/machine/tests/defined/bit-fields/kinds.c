// Bit-fields of every kind: cutting, promotion, neighbours, initialisers.
int printf(const char *, ...);

enum color { RED, GREEN, BLUE };
struct fields {
    int a : 3;
    unsigned b : 5;
    _Bool c : 1;
    signed char d : 4;
    enum color e : 2;
    long long f : 40;
    unsigned long long g : 33;
    unsigned h : 32;
    int : 0;
    unsigned short i : 9;
};
struct fields global = {.a = -4, .g = 0x1ffffffffULL, .e = BLUE};
struct wide { __int128 w : 100; unsigned __int128 x : 28; } wide;

int main(void)
{
    struct fields s = {3, 31, 1, -8, GREEN, -1, 5, 0xffffffffu, 511};
    if (s.a != 3 || s.b != 31 || s.c != 1 || s.d != -8 || s.e != GREEN) return 1;
    if (s.f != -1 || s.g != 5 || s.h != 0xffffffffu || s.i != 511) return 2;
    s.b += 3;
    s.c = 4;
    s.a--;
    if (s.b != 2 || s.c != 1 || s.a != 2 || (s.b = 33) != 1) return 3;
    if ((s.d -= 1) != 7) return 4;
    if (s.b - 2 >= 0) return 5;
    if (s.h - 1 < 0 || s.h + 1 != 0) return 6;
    s.c += 1;
    s.c++;
    if (s.c != 1 || --s.c || (s.c ^= 1) != 1) return 7;
    s.i++;
    if (s.i != 0 || s.a != 2) return 8;
    s.g += ~0ULL;
    if (s.g != 4 || s.g * 2 != 8 || s.g > 9) return 9;
    s.g -= 5;
    if (s.g != 0x1ffffffffULL || global.g != s.g || global.a != -4) return 10;
    if (global.f || global.e != BLUE) return 11;
    s.b *= 2.75;
    if (s.b != 2) return 12;
    wide.w = -5;
    wide.w *= 7;
    wide.x = ~0;
    if ((long long)wide.w != -35 || wide.x != 0xfffffff) return 13;
    struct fields t = s, *p = &t;
    p->f = 1;
    p->f <<= 30;
    if (p->f != 1LL << 30 || s.f != -1 || p->h != 0xffffffffu) return 14;
    printf("%d %u %d %d\n", s.a, s.b, s.d, (int)sizeof s);
    return 0;
}
