// Text to floating numbers, in every form.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static const char *const texts[] = {
        "1.5", " -2.25e3x", "0x1.8p1", "inf", "-Infinity", ".", "1e", "0x", "0xg", "1e+", ".5.5",
        "123456789012345678901234567890", "1e-5", "4.9406564584124654e-324x", "+7.e2", "e5", "",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        double d = strtod(texts[i], &end);
        printf("%s: %.17g %d", texts[i], d, (int)(end - texts[i]));
        float f = strtof(texts[i], &end);
        printf(" %.9g", f);
        long double l = strtold(texts[i], &end);
        printf(" %.6Lg\n", l);
    }
    printf("%.17g %.9g\n", atof("0.1"), strtof("0.1", 0));
    div_t q = div(-17, 5);
    ldiv_t l = ldiv(1000000000000L, 7);
    printf("%d %d %ld %ld\n", q.quot, q.rem, l.quot, l.rem);
    return 0;
}
