/* Checksums, hashes and sequences that look random. */

static unsigned short crc_with_table(unsigned short start, unsigned long data) {
    static const unsigned short nibble_crc[16] = {
        0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
        0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
    };
    unsigned short crc = start;
    int shift;
    for (shift = 28; shift >= 0; shift -= 4)
        crc = crc << 4 ^ nibble_crc[(crc >> 12 ^ data >> shift) & 15];
    return crc;
}

static unsigned char crc_by_bits(unsigned char crc, unsigned char data) {
    int bit;
    crc ^= data;
    for (bit = 0; bit < 8; bit++) {
        if (crc & 0x80)
            crc = crc << 1 ^ 0x07;
        else
            crc <<= 1;
    }
    return crc;
}

static unsigned long adler(unsigned long data) {
    unsigned long a = 1, b = 0;
    int i = 4;
    while (i-- > 0) {
        a = (a + (data & 255)) % 65521;
        b = (b + a) % 65521;
        data >>= 8;
    }
    return b << 16 | a;
}

static unsigned fletcher(unsigned long long data) {
    unsigned char low = 0, high = 0;
    unsigned i;
    for (i = 0; i < 8; i++, data >>= 8) {
        low = (low + (data & 255)) % 255;
        high = (high + low) % 255;
    }
    return (unsigned)high << 8 | low;
}

static unsigned long hash_bytes(unsigned long seed, unsigned short data) {
    unsigned char bytes[4];
    unsigned long hash = 2166136261u ^ (seed & 0xffffffff);
    const unsigned char *at;
    bytes[0] = data & 255;
    bytes[1] = data >> 8;
    bytes[2] = bytes[0] ^ bytes[1];
    bytes[3] = bytes[0] + bytes[1];
    for (at = bytes; at != bytes + 4; ++at)
        hash = (hash ^ *at) * 16777619 & 0xffffffff;
    return hash;
}

static unsigned long hash_string(unsigned char which) {
    static const char *const words[4] = {"", "a", "loop", "header"};
    const char *word = words[which % 4];
    unsigned long hash = 5381;
    while (*word)
        hash = hash * 33 + (unsigned char)*word++;
    return hash;
}

static unsigned short shift_register(unsigned short state, unsigned char rounds) {
    if (state == 0)
        state = 0xace1;
    for (rounds &= 15; rounds != 0; rounds--) {
        unsigned bit = state & 1;
        state >>= 1;
        if (bit)
            state ^= 0xb400;
    }
    return state;
}

static unsigned long xor_shift(unsigned long state) {
    unsigned long x = state & 0xffffffff;
    x ^= x << 13 & 0xffffffff;
    x ^= x >> 17;
    x ^= x << 5 & 0xffffffff;
    return x;
}

static unsigned long long mix_bits(unsigned long long value) {
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9u;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static unsigned congruential(unsigned seed, signed char rounds) {
    unsigned state = seed;
    while (rounds-- > 0 && rounds < 20)
        state = state * 25173u + 13849u;
    return state >> 3;
}

static int check_digit(unsigned long number) {
    static const unsigned char weights[] = {3, 1, 7, 9};
    unsigned sum = 0, i = 0;
    for (number %= 1000000; number; number /= 10)
        sum += weights[i++ & 3] * (unsigned)(number % 10);
    return (int)((10 - sum % 10) % 10);
}
