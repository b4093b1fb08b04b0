/* Structures and unions, by value and by pointer. */

struct Fraction {
    int top;
    short bottom;
};

static struct Fraction make_fraction(signed char top, unsigned char bottom) {
    struct Fraction made;
    made.top = top;
    made.bottom = bottom % 50 + 1;
    return made;
}

static int add_fractions(signed char a, unsigned char b, signed char c, unsigned char d) {
    struct Fraction left = make_fraction(a, b), right = make_fraction(c, d);
    long top = (long)left.top * right.bottom + (long)right.top * left.bottom;
    return (int)(top / (left.bottom * right.bottom));
}

struct Matrix {
    unsigned short cell[2][2];
};

static struct Matrix multiply(struct Matrix a, const struct Matrix *b) {
    struct Matrix product;
    int i, j;
    for (i = 0; i < 2; i++)
        for (j = 0; j < 2; j++)
            product.cell[i][j] = (unsigned)a.cell[i][0] * b->cell[0][j]
                + (unsigned)a.cell[i][1] * b->cell[1][j];
    return product;
}

static unsigned short matrix_power(unsigned char exponent, unsigned char cell) {
    struct Matrix once = {{{1, 1}, {1, 0}}}, result;
    once.cell[1][1] = cell;
    result = multiply(once, &once);
    if (exponent & 1)
        result = multiply(result, &once);
    return result.cell[0][1] * 7 + result.cell[1][1];
}

union Word {
    unsigned char bytes[4];
    unsigned short halves[2];
};

static unsigned byte_of_halves(unsigned short low, unsigned short high, unsigned char which) {
    union Word word;
    word.halves[0] = low;
    word.halves[1] = high;
    return word.bytes[which & 3];
}

static unsigned short half_of_bytes(unsigned char a, unsigned char b) {
    union Word word = {{0}};
    word.bytes[0] = a;
    word.bytes[1] = b;
    word.bytes[3] = a ^ b;
    return word.halves[0] ^ word.halves[1];
}

struct Flags {
    unsigned ready : 1;
    unsigned count : 5;
    signed level : 4;
};

static int pack_flags(unsigned char value, unsigned char rounds) {
    struct Flags flags = {0, 0, 0};
    for (rounds = rounds % 7; rounds > 0; rounds--) {
        flags.ready = !flags.ready;
        flags.count += value;
        flags.level = (int)(value & 7) - 4;
        value >>= flags.ready;
    }
    return flags.ready * 1000 + flags.count * 10 + flags.level;
}

struct Point {
    short x, y;
};

static int turn(short x, short y, unsigned char quarter) {
    struct Point point = {x, y}, *at = &point;
    while (quarter-- & 3) {
        struct Point old = *at;
        at->x = old.y == -32767 - 1 ? 32767 : -old.y;
        at->y = old.x;
    }
    return point.x / 2 - point.y / 4;
}

static int manhattan(signed char x, signed char y, signed char u, signed char v) {
    struct Point from = {x, y}, to = {u, v}, difference;
    difference.x = from.x - to.x;
    difference.y = from.y - to.y;
    return (difference.x < 0 ? -difference.x : difference.x)
        + (difference.y < 0 ? -difference.y : difference.y);
}

static int list_length(unsigned char links) {
    struct Node {
        const struct Node *next;
        unsigned char weight;
    } nodes[3];
    const struct Node *at;
    int sum = 0;
    nodes[0].weight = links & 3;
    nodes[1].weight = links >> 2 & 7;
    nodes[2].weight = links >> 5;
    nodes[0].next = links & 1 ? &nodes[1] : &nodes[2];
    nodes[1].next = links & 128 ? &nodes[2] : 0;
    nodes[2].next = 0;
    for (at = nodes; at; at = at->next)
        sum += at->weight + 1;
    return sum;
}
