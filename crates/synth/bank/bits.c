/* Bits: counting, moving and spreading them. */

static int count_bits(unsigned long long value) {
    int count = 0;
    for (; value && count < 20; value &= value - 1)
        count++;
    return count;
}

static unsigned char reverse_byte(unsigned char value) {
    value = (value & 0xf0) >> 4 | (value & 0x0f) << 4;
    value = (value & 0xcc) >> 2 | (value & 0x33) << 2;
    return (value & 0xaa) >> 1 | (value & 0x55) << 1;
}

static unsigned long reverse_bits(unsigned long value, unsigned char width) {
    unsigned long result = 0;
    for (width &= 15; width; width--) {
        result = result << 1 | (value & 1);
        value >>= 1;
    }
    return result;
}

static int leading_zeros(unsigned short value) {
    int count = 16;
    if (value >= 256) {
        count -= 8;
        value >>= 8;
    }
    if (value >= 16) {
        count -= 4;
        value >>= 4;
    }
    if (value >= 4) {
        count -= 2;
        value >>= 2;
    }
    return value >= 2 ? count - 2 : count - value;
}

static signed char trailing_zeros(unsigned long long value) {
    signed char count = 0;
    if (value == 0)
        return -1;
    while (!(value & 15)) {
        value >>= 4;
        count += 4;
    }
    while (!(value & 1)) {
        value >>= 1;
        count++;
    }
    return count;
}

static unsigned short swap_bytes(unsigned short value) {
    return value << 8 & 0xff00 | value >> 8;
}

static unsigned long swap_long_bytes(unsigned long value) {
    unsigned long result = 0;
    unsigned i;
    for (i = 0; i < sizeof value; i++)
        result |= (value >> 8 * i & 255) << 8 * (sizeof value - 1 - i);
    return result;
}

static unsigned rotate_left(unsigned short value, unsigned char count) {
    count &= 15;
    if (count == 0)
        return value;
    return (unsigned short)(value << count) | value >> (16 - count);
}

static unsigned char rotate_right(unsigned char value, int count) {
    unsigned amount = (unsigned)count % 8;
    return amount ? (unsigned char)(value >> amount | value << (8 - amount)) : value;
}

static unsigned long gray_code(unsigned long value) {
    return value ^ value >> 1;
}

static unsigned short gray_decode(unsigned short code) {
    unsigned short value = 0;
    while (code) {
        value ^= code;
        code >>= 1;
    }
    return value;
}

static unsigned long interleave(unsigned char x, unsigned char y) {
    unsigned long result = 0;
    int bit;
    for (bit = 0; bit < 8; bit++) {
        result |= (unsigned long)(x >> bit & 1) << 2 * bit;
        result |= (unsigned long)(y >> bit & 1) << (2 * bit + 1);
    }
    return result;
}

static unsigned char transpose_nibbles(unsigned short matrix) {
    unsigned char row, column, out = 0;
    for (row = 0; row < 4; row++)
        for (column = row + 1; column < 4; column++) {
            unsigned a = matrix >> (4 * row + column) & 1;
            unsigned b = matrix >> (4 * column + row) & 1;
            out = out << 1 | (a ^ b);
        }
    return out;
}

static int longest_run(unsigned short value) {
    int longest = 0;
    while (value) {
        value &= value << 1;
        longest++;
    }
    return longest;
}

static unsigned long next_power_of_two(unsigned long value) {
    unsigned long power = 1;
    if (value > 0x40000000)
        return 0;
    while (power < value)
        power <<= 1;
    return power;
}

static _Bool parity(unsigned long value) {
    unsigned half;
    for (half = 4 * sizeof value; half > 0; half >>= 1)
        value ^= value >> half;
    return value & 1;
}

static unsigned insert_field(unsigned short word, unsigned char value, unsigned char place, unsigned char width) {
    unsigned mask;
    place &= 7;
    width = width % 8 + 1;
    mask = ((1u << width) - 1) << place;
    return (word & ~mask) | ((unsigned)value << place & mask);
}

static int extract_signed(long long word, unsigned char place, unsigned char width) {
    int sign;
    place &= 31;
    width = (width & 7) + 2;
    word = word >> place & ((1 << width) - 1);
    sign = 1 << (width - 1);
    return (int)((word ^ sign) - sign);
}

static unsigned long next_permutation(unsigned long bits) {
    unsigned long low, ripple;
    bits &= 0xffffff;
    if (bits == 0)
        return 0;
    low = bits & -bits;
    ripple = bits + low;
    return ripple | ((bits ^ ripple) / low) >> 2;
}
