/* Numbers and their divisors, powers and roots. */

static unsigned greatest_divisor(unsigned short a, unsigned short b) {
    while (b != 0) {
        unsigned short rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static unsigned char binary_divisor(unsigned char a, unsigned char b) {
    int shift = 0;
    if (a == 0 || b == 0)
        return a | b;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        shift++;
    }
    while ((a & 1) == 0)
        a >>= 1;
    do {
        while ((b & 1) == 0)
            b >>= 1;
        if (a > b) {
            unsigned char swapped = a;
            a = b;
            b = swapped;
        }
        b -= a;
    } while (b != 0);
    return a << shift;
}

static unsigned short square_root(unsigned long value) {
    unsigned long root = 0, bit = 1UL << 30;
    value &= 0xffffffff;
    while (bit > value)
        bit >>= 2;
    while (bit) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
        bit >>= 2;
    }
    return (unsigned short)root;
}

static int newton_root(int value) {
    int root = value, next;
    if (value < 2)
        return value < 0 ? -1 : value;
    next = value / 2 + 1;
    while (next < root) {
        root = next;
        next = (root + value / root) / 2;
    }
    return root;
}

static unsigned long power_modulo(unsigned short base, unsigned char exponent, unsigned short modulus) {
    unsigned long result = 1, square = base;
    if (modulus < 2)
        return 0;
    square %= modulus;
    while (exponent > 0) {
        if (exponent & 1)
            result = result * square % modulus;
        square = square * square % modulus;
        exponent >>= 1;
    }
    return result;
}

static long fibonacci(signed char index) {
    long now = 0, next = 1;
    if (index < 0 || index > 28)
        return -1;
    for (; index > 0; --index) {
        long sum = now + next;
        now = next;
        next = sum;
    }
    return now;
}

static unsigned long long factorial(unsigned char n) {
    return n < 2 ? 1 : n > 15 ? 0 : n * factorial(n - 1);
}

static int collatz_steps(unsigned short start, unsigned char bound) {
    unsigned long long value = start;
    int steps = 0;
    bound &= 15;
    while (value > 1 && steps < bound) {
        value = value & 1 ? 3 * value + 1 : value >> 1;
        ++steps;
    }
    return steps;
}

static _Bool is_small_prime(unsigned char value) {
    int divisor;
    if (value < 2)
        return 0;
    for (divisor = 2; divisor * divisor <= value; divisor++)
        if (value % divisor == 0)
            return 0;
    return 1;
}

static signed char inverse_modulo(unsigned char value, unsigned char modulus) {
    int old = 0, now = 1, rest, divisor;
    modulus = modulus % 100 + 2;
    divisor = modulus;
    rest = value % modulus;
    while (rest > 1) {
        int quotient = divisor / rest, saved = old - divisor / rest * now;
        old = now;
        now = saved;
        saved = divisor - quotient * rest;
        divisor = rest;
        rest = saved;
    }
    return rest == 0 ? -1 : now < 0 ? now + modulus : now;
}

static int floor_divide(short a, signed char b) {
    int quotient;
    if (b == 0)
        return 0;
    if (b == -1)
        return a == -32767 - 1 ? 32767 : -a;
    quotient = a / b;
    if (a % b != 0 && (a < 0) != (b < 0))
        quotient--;
    return quotient;
}

static unsigned divide_slowly(unsigned char numerator, unsigned char denominator) {
    unsigned quotient = 0, rest = 0;
    int bit;
    if (denominator == 0)
        return 255;
    for (bit = 7; bit >= 0; bit--) {
        rest = rest << 1 | (numerator >> bit & 1);
        if (rest >= denominator) {
            rest -= denominator;
            quotient |= 1u << bit;
        }
    }
    return quotient;
}

static unsigned long multiply_by_adding(unsigned short a, unsigned char b) {
    unsigned long sum = 0, shifted = a;
    while (b) {
        if (b & 1)
            sum += shifted;
        shifted <<= 1;
        b >>= 1;
    }
    return sum;
}

static long triangle(int n) {
    long long wide = n;
    if (n < 0 || n > 30000)
        return n & 255;
    return (long)(wide * (wide + 1) / 2);
}

static short logarithm(unsigned long long value) {
    short result = value ? 0 : -1;
    while (value > 255) {
        value >>= 8;
        result += 8;
    }
    while (value > 1) {
        value >>= 1;
        result++;
    }
    return result;
}

static int choose(unsigned char n, unsigned char k) {
    int result = 1, i;
    n &= 15;
    k &= 7;
    if (k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    for (i = 1; i <= k && result < 1000; i++)
        result = result * (n - k + i) / i;
    return result;
}
