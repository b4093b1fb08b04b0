/* Numbers as rows of digits. */

static int digit_count(unsigned long value) {
    int count = 1;
    while (value >= 10) {
        value /= 10;
        count++;
    }
    return count;
}

static unsigned digit_sum(unsigned short value, unsigned char base) {
    unsigned sum = 0;
    base = base % 31 + 6;
    for (; value; value /= base)
        sum += value % base;
    return sum;
}

static long reverse_digits(short value) {
    long result = 0;
    int rest = value;
    do {
        result = result * 10 + rest % 10;
        rest /= 10;
    } while (rest != 0);
    return result;
}

static signed char digital_root(unsigned long long value) {
    return value == 0 ? 0 : (signed char)(1 + (value - 1) % 9);
}

static _Bool is_decimal_palindrome(unsigned short value) {
    unsigned char digits[5];
    int count = 0, left = 0;
    do
        digits[count++] = value % 10;
    while ((value /= 10) != 0);
    while (left < --count)
        if (digits[left++] != digits[count])
            return 0;
    return 1;
}

static int digit_at(unsigned long value, unsigned char place) {
    for (place %= 10; place > 0; place--)
        value /= 10;
    return (int)(value % 10);
}

static unsigned long to_bcd(unsigned short value) {
    unsigned long packed = 0;
    int shift;
    for (shift = 0; value != 0; shift += 4) {
        packed |= (unsigned long)(value % 10) << shift;
        value /= 10;
    }
    return packed;
}

static unsigned short from_bcd(unsigned short packed) {
    unsigned short value = 0;
    int shift;
    for (shift = 12; shift >= 0; shift -= 4) {
        unsigned digit = packed >> shift & 15;
        if (digit > 9)
            return 10000;
        value = value * 10 + digit;
    }
    return value;
}

static int luhn_check(unsigned long value) {
    int sum = 0, twice = 0;
    value %= 100000000;
    while (value) {
        int digit = (int)(value % 10);
        if (twice && (digit *= 2) > 9)
            digit -= 9;
        sum += digit;
        twice = !twice;
        value /= 10;
    }
    return sum % 10;
}

static unsigned long to_base(unsigned char value, unsigned char base) {
    unsigned long result = 0, place = 1;
    base = (base & 7) + 3;
    while (value > 0) {
        result += place * (value % base);
        value /= base;
        place *= 10;
    }
    return result;
}

static int roman_length(unsigned short value) {
    static const unsigned char lengths[10] = {0, 1, 2, 3, 2, 1, 2, 3, 4, 2};
    value &= 4095;
    return value / 1000 + lengths[value / 100 % 10] + lengths[value / 10 % 10] + lengths[value % 10];
}
