// tier: exact
// Constants that are folded where nothing is watched, and computed where it is.
int printf(const char *, ...);

static double start = -3;
static float half = (float)1 / 2;

int main(void) {
    volatile long number = 5;
    double sum = (double)2 + start, scaled = 0;
    for (int i = 0; i < 4; i++) {
        sum = sum + (double)3;
        sum -= 1;
        sum = -(double)7 + sum * (double)(long)-2;
        scaled = scaled * 2.0 + (float)~4 + (double)(unsigned char)255;
        sum += (long double)6 < sum ? (double)number : (double)-number;
    }
    number <<= (int)2;
    printf("%.17g %.17g %g %ld\n", sum, scaled, half, number);
    return 0;
}
