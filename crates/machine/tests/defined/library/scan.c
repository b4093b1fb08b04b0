// Every conversion of scanf.
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>

int main(void)
{
    int a = 0, b = 0, n = 0, c = 0;
    unsigned u = 0;
    short s = 0;
    signed char h = 0;
    long l = 0;
    long long ll = 0;
    size_t z = 0;
    intmax_t j = 0;
    ptrdiff_t t = 0;
    float f = 0;
    double d = 0;
    long double ld = 0;
    char word[16] = "", set[16] = "", chars[4] = "...";
    c = sscanf("  12 -7 0x1f 077", "%d%d%i %i%n", &a, &b, (int *)&u, &n, &n);
    printf("%d %d %d %u %d\n", c, a, b, u, n);
    c = sscanf("ff 17 40 1 2 3 4 5 6 7", "%x %o %u %hd %hhd %ld %lld %zu %jd %td", &u, (unsigned *)&a,
               (unsigned *)&b, &s, &h, &l, &ll, &z, &j, &t);
    printf("%d %u %d %d %d %d %ld %lld %zu %jd %td\n", c, u, a, b, s, h, l, ll, z, j, t);
    c = sscanf("1.5 -2e3 0x1p4 inf", "%f%lf%Lf %lf", &f, &d, &ld, &d);
    printf("%d %g %g %Lg\n", c, f, d, ld);
    c = sscanf("hello wor-ld], xyz", "%5s %[a-z-]%*[],] %3c", word, set, chars);
    printf("%d %s %s %s\n", c, word, set, chars);
    c = sscanf("abc", "%2s%[^x]", word, set);
    printf("%d %s %s\n", c, word, set);
    printf("%d", sscanf("", "%d", &a));
    printf(" %d", sscanf("x", "%d", &a));
    printf(" %d", sscanf("5", "%d %d", &a, &b));
    printf(" %d", sscanf("5 x", "%d %d", &a, &b));
    printf(" %d", sscanf("50%", "%2d%%%n", &a, &n));
    printf(" %d", sscanf("k=3", "k=%d", &a));
    printf(" %d", sscanf("k=3", "l=%d", &b));
    printf(" %d", sscanf("123456", "%*3d%2d", &b));
    printf(" %d\n", n);
    printf("%d %d\n", a, b);
    while ((c = scanf("%15s %d", word, &a)) == 2)
        printf("%s=%d\n", word, a);
    printf("%d %d\n", c, feof(stdin) != 0);
    return 0;
}
