/* Small arrays: filled, sorted, searched and summed up. */

static int binary_search(short wanted) {
    static const short sorted[] = {-900, -31, -1, 0, 2, 3, 17, 64, 255, 1000, 4096, 32767};
    int low = 0, high = sizeof sorted / sizeof sorted[0] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] == wanted)
            return middle;
        if (sorted[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return ~low;
}

static int median(signed char a, signed char b, signed char c) {
    signed char values[3], swapped;
    values[0] = a;
    values[1] = b;
    values[2] = c;
    if (values[0] > values[1])
        swapped = values[0], values[0] = values[1], values[1] = swapped;
    if (values[1] > values[2])
        swapped = values[1], values[1] = values[2], values[2] = swapped;
    if (values[0] > values[1])
        swapped = values[0], values[0] = values[1], values[1] = swapped;
    return values[1];
}

static unsigned insertion_sort(unsigned short packed) {
    unsigned char items[4];
    int i, j;
    for (i = 0; i < 4; i++)
        items[i] = packed >> 4 * i & 15;
    for (i = 1; i < 4; i++) {
        unsigned char item = items[i];
        for (j = i; j > 0 && items[j - 1] > item; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
    return (unsigned)items[3] << 12 | (unsigned)items[2] << 8 | (unsigned)items[1] << 4 | items[0];
}

static int bubble_swaps(unsigned char seed) {
    unsigned char row[5];
    int swaps = 0, i, moved;
    for (i = 0; i < 5; i++)
        row[i] = seed >> i ^ seed << i;
    for (i = 0, moved = 0; i < 4; i++)
        if (row[i] > row[i + 1]) {
            unsigned char kept = row[i];
            row[i] = row[i + 1];
            row[i + 1] = kept;
            swaps++, moved = i;
        }
    return swaps * 10 + moved;
}

static long prefix_sum(signed char step, unsigned char index) {
    short sums[8];
    int i;
    sums[0] = step;
    for (i = 1; i < 8; i++)
        sums[i] = sums[i - 1] + step * i;
    return sums[index % 8];
}

static int largest_window(unsigned long long bits) {
    int sum = 0, best, i;
    for (i = 0; i < 6; i++)
        sum += (int)(bits >> 4 * i & 15);
    best = sum;
    for (; i < 12; i++) {
        sum += (int)(bits >> 4 * i & 15) - (int)(bits >> 4 * (i - 6) & 15);
        if (sum > best)
            best = sum;
    }
    return best;
}

static int pair_with_sum(unsigned char sum) {
    static const unsigned char items[] = {1, 3, 4, 7, 11, 18, 29, 47, 76, 123};
    int left = 0, right = 9;
    while (left < right) {
        int both = items[left] + items[right];
        if (both == sum)
            return left * 16 + right;
        if (both < sum)
            left++;
        else
            right--;
    }
    return -1;
}

static int spread(short a, short b, short c, short d) {
    short values[4] = {a, b, c, d};
    long low = values[0], high = values[0];
    int i;
    for (i = 1; i < 4; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return (int)((high - low) / 2);
}

static unsigned ring_buffer(unsigned char first, unsigned char count) {
    unsigned char ring[4] = {0}, head = 0, total = 0;
    for (count %= 11; count; count--) {
        ring[head++ & 3] = first++;
        if (head > 4)
            total += ring[head & 3];
    }
    return (unsigned)total * 5 + ring[head % 4];
}

static int dot_product(signed char x, signed char y, signed char z) {
    static const signed char axis[3] = {7, -11, 5};
    const signed char *weight = axis;
    int sum = *weight++ * x;
    sum += *weight++ * y;
    return sum + *weight * z;
}

static int count_inversions(unsigned short packed) {
    int i, j, inversions = 0;
    for (i = 0; i < 3; i++)
        for (j = i + 1; j < 4; j++)
            if ((packed >> 4 * i & 15) > (packed >> 4 * j & 15))
                ++inversions;
    return inversions;
}

static int histogram_peak(unsigned long data) {
    unsigned char bins[4] = {0, 0, 0, 0};
    int i, best = 0;
    for (i = 0; i < 10; i++, data >>= 2)
        bins[data & 3]++;
    for (i = 1; i < 4; i++)
        if (bins[i] > bins[best])
            best = i;
    return best * 16 + bins[best];
}

static int maximal_sum(unsigned long packed) {
    int best = -8, now = 0, i;
    for (i = 0; i < 8; i++) {
        int item = (int)(packed >> 4 * i & 15) - 8;
        now = now > 0 ? now + item : item;
        if (now > best)
            best = now;
    }
    return best;
}

static int grid_path(unsigned short walls) {
    unsigned char ways[2][3];
    int row, column;
    for (row = 0; row < 2; row++)
        for (column = 0; column < 3; column++) {
            unsigned char up = row ? ways[row - 1][column] : 0;
            unsigned char left = column ? ways[row][column - 1] : row == 0;
            ways[row][column] = walls >> (3 * row + column) & 1 ? 0 : up + left;
        }
    return ways[1][2];
}
