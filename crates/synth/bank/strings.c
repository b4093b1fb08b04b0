/* Characters and strings in local arrays. */

static int decimal_length(int value) {
    char text[24];
    char *end = text + 23;
    int rest = value;
    *end = 0;
    do {
        int digit = rest % 10;
        *--end = '0' + (digit < 0 ? -digit : digit);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--end = '-';
    rest = 0;
    while (end[rest])
        rest++;
    return rest;
}

static long parse_digits(unsigned char a, unsigned char b, unsigned char c) {
    char text[4];
    const char *at = text;
    long value = 0;
    text[0] = (char)(a & 127);
    text[1] = '0' + b % 10;
    text[2] = (char)(c & 127);
    text[3] = 0;
    while (*at >= '0' && *at <= '9')
        value = value * 10 + (*at++ - '0');
    return at == text ? -1 : value;
}

static int hex_digit(signed char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static int compare_words(unsigned char left, unsigned char right) {
    static const char words[4][6] = {"delta", "alpha", "alps", "del"};
    const char *a = words[left & 3], *b = words[right & 3];
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a - *b;
}

static int count_runs(unsigned short pattern) {
    char text[17];
    int i, runs = 1;
    for (i = 0; i < 8; i++)
        text[i] = pattern >> i & 1 ? 'x' : '.';
    text[8] = 0;
    for (i = 1; text[i] != 0; i++)
        runs += text[i] != text[i - 1];
    return runs;
}

static _Bool is_word_palindrome(unsigned char a, unsigned char b) {
    char word[6];
    int left = 0, right = 4;
    word[0] = 'a' + a % 3;
    word[1] = 'a' + b % 3;
    word[2] = 'm';
    word[3] = 'a' + (a >> 4) % 3;
    word[4] = 'a' + (b >> 4) % 3;
    for (; left < right; left++, right--)
        if (word[left] != word[right])
            return 0;
    return 1;
}

static int find_letter(signed char letter) {
    static const char text[] = "the quick brown fox";
    int i;
    for (i = 0; text[i]; i++)
        if (text[i] == letter)
            return i;
    return -1;
}

static int to_upper(int c) {
    return (unsigned)c - 'a' < 26u ? c - ('a' - 'A') : c;
}

static int varint_length(unsigned long value) {
    unsigned char bytes[10];
    int length = 0;
    while (value >= 128) {
        bytes[length++] = (unsigned char)(value | 128);
        value >>= 7;
    }
    bytes[length] = (unsigned char)value;
    return length * 256 + bytes[length / 2];
}

static unsigned long zigzag(long value) {
    unsigned long twice = (unsigned long)value << 1;
    return value < 0 ? ~twice : twice;
}

static long unzigzag(unsigned long value) {
    long half = (long)(value >> 1);
    return value & 1 ? -half - 1 : half;
}

static int utf_length(unsigned long code) {
    if (code < 0x80)
        return 1;
    else if (code < 0x800)
        return 2;
    else if (code < 0x10000)
        return code - 0xd800 < 0x800 ? -1 : 3;
    return code < 0x110000 ? 4 : -1;
}
