/* Ranges: clamps, saturation and tests at borders. */

static int clamp(int value, short low, short high) {
    if (low > high) {
        short swapped = low;
        low = high;
        high = swapped;
    }
    return value < low ? low : value > high ? high : value;
}

static unsigned char saturate(long value) {
    return value < 0 ? 0 : value > 255 ? 255 : (unsigned char)value;
}

static short saturating_sum(short a, short b) {
    long sum = (long)a + b;
    if (sum > 32767)
        sum = 32767;
    if (sum < -32768)
        sum = -32768;
    return (short)sum;
}

static unsigned saturating_difference(unsigned a, unsigned b) {
    unsigned difference = a - b;
    return difference & -(difference <= a);
}

static int sign(long long value) {
    return (value > 0) - (value < 0);
}

static unsigned long long absolute(long long value) {
    unsigned long long mask = 0ULL - (value < 0);
    return ((unsigned long long)value ^ mask) - mask;
}

static int average(int a, int b) {
    return (a & b) + ((a ^ b) >> 1);
}

static _Bool in_range(int value, unsigned char start, unsigned char length) {
    return (unsigned)value - start < length;
}

static int range_class(short value) {
    if (value < -100)
        return -2;
    if (value < 0)
        return -1;
    if (value == 0)
        return 0;
    return value <= 100 ? 1 : 2;
}

static int guarded_shift(int value, unsigned char count) {
    if (count >= 8 * sizeof value - 1 || value < 0 || value > 127)
        return value >> 1;
    return value >> (count & 7) | 1 << (count & 3);
}

static long wrap_angle(long degrees) {
    degrees %= 360;
    if (degrees < 0)
        degrees += 360;
    return degrees > 180 ? degrees - 360 : degrees;
}

static long long scale(short value, unsigned char percent) {
    long long product = (long long)value * percent;
    return product >= 0 ? (product + 50) / 100 : -((50 - product) / 100);
}

static unsigned char blend(unsigned char a, unsigned char b, unsigned char share) {
    return (a * (255u - share) + b * (unsigned)share + 127u) / 255u;
}

static _Bool adds_over(unsigned long long a, unsigned long long b) {
    return a + b < a;
}

static int compare(long a, unsigned long b) {
    return a < 0 ? -1 : (unsigned long)a < b ? -1 : (unsigned long)a > b;
}
