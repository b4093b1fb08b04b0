/* Machines with states: switches, jumps and early exits. */

static int count_words(unsigned short text) {
    int words = 0, inside = 0, i;
    for (i = 0; i < 16; i += 2) {
        switch (text >> i & 3) {
        case 0:
            inside = 0;
            break;
        case 3:
            if (inside)
                continue;
            /* A word begins. */
        default:
            words += !inside;
            inside = 1;
        }
    }
    return words;
}

static int evaluate(unsigned short code, signed char operand) {
    int stack[3], depth = 1, i;
    stack[0] = operand;
    for (i = 0; i < 5; i++, code >>= 3) {
        switch (code & 7) {
        case 0:
            return stack[depth - 1];
        case 1:
            stack[depth - 1] = stack[depth - 1] / 2 + 1;
            break;
        case 2:
            stack[depth - 1] = ~stack[depth - 1];
            break;
        case 3:
        case 4:
            if (depth == 3)
                return -1000;
            stack[depth] = stack[depth - 1] ^ 5;
            depth++;
            break;
        default:
            if (depth > 1) {
                depth--;
                stack[depth - 1] = (stack[depth - 1] & 255) + (stack[depth] & 255);
            }
        }
    }
    return stack[0];
}

static int traffic_light(unsigned char ticks) {
    enum Light { RED, GREEN, YELLOW } light = RED;
    int left = 5;
    for (ticks &= 15; ticks; ticks--) {
        if (--left > 0)
            continue;
        switch (light) {
        case RED:
            light = GREEN;
            left = 4;
            break;
        case GREEN:
            light = YELLOW;
            left = 1;
            break;
        case YELLOW:
            light = RED;
            left = 5;
        }
    }
    return (int)light * 10 + left;
}

static int retry(unsigned short value) {
    int tries = 0;
again:
    if (value & 1)
        goto done;
    if (++tries > 6)
        goto failed;
    value = value >> 1 ^ 0x2d0;
    goto again;
failed:
    return -1;
done:
    return tries;
}

static int decode(unsigned short code) {
    switch (code & 0x300) {
    case 0x000:
        return code & 31;
    case 0x100:
        return -(int)(code & 31);
    case 0x200:
        code = (unsigned short)~code;
    }
    return code >> 3 & 63;
}

static unsigned duff_sum(unsigned char count, unsigned char start) {
    unsigned sum = start;
    int rounds;
    count = count % 12 + 1;
    rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            sum += 7;
    case 3:
            sum ^= 11;
    case 2:
            sum += sum >> 2;
    case 1:
            sum += 3;
        } while (--rounds > 0);
    }
    return sum;
}

static int matching_brackets(unsigned short text) {
    int depth = 0, deepest = 0, i;
    for (i = 0; i < 12; i++) {
        depth += text >> i & 1 ? 1 : -1;
        if (depth < 0)
            return -i;
        if (depth > deepest)
            deepest = depth;
    }
    return depth ? 100 + depth : deepest;
}

static int first_repeat(unsigned short packed) {
    unsigned seen = 0;
    int i = 0;
    for (;;) {
        unsigned bit = 1u << (packed >> 4 * i & 15);
        if (seen & bit)
            break;
        seen |= bit;
        if (++i == 4)
            return -1;
    }
    return i;
}

static int nested_search(unsigned char product) {
    int a, b;
    for (a = 2; a < 6; a++)
        for (b = a; b < 7; b++)
            if (a * b == product)
                goto found;
    return 0;
found:
    return a * 10 + b;
}

static int power_of_state(unsigned char steps) {
    static const unsigned char next[4][2] = {{1, 2}, {3, 0}, {2, 1}, {0, 3}};
    unsigned char state = 0;
    int i;
    for (i = 0; i < 8; i++)
        state = next[state][steps >> i & 1];
    return state;
}
