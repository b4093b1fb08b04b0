#include <stdio.h>
/* Compilers disagree about the types of wide bit-fields only where a number is negative or too large. */
struct s { unsigned long long x : 33; long long y : 40; } s = {5, 7};
int main(void)
{
    long long l = 9;
    printf("%d %d %d\n", s.x < l, s.x < s.y, s.x == (unsigned long long)-1);
    printf("%g %g\n", (double)(s.x == 5 ? l : s.x), (double)(l ? s.y : s.x));
    s.y = -3;
    printf("%d %d\n", s.y < l, s.y < 0);
    return 0;
}
