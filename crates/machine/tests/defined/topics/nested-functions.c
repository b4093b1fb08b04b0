// compiler: gcc
// Functions inside functions, an extension that only GCC has.
extern int printf(const char *, ...);
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));

/* Knuth's test: each pointer knows the call it was made in. */
static int man_or_boy(int k, int (*x1)(void), int (*x2)(void), int (*x3)(void), int (*x4)(void),
                      int (*x5)(void))
{
    int b(void)
    {
        k--;
        return man_or_boy(k, b, x1, x2, x3, x4);
    }
    if (k > 0)
        return b();
    int fourth = x4();
    return fourth + x5();
}

static int one(void) { return 1; }
static int minus_one(void) { return -1; }
static int zero(void) { return 0; }

struct pair { int a; unsigned b : 5; };

static int captures(int n)
{
    struct pair p = {n, 3};
    int array[4] = {1, 2, 3, 4};
    int variable[n];
    for (int i = 0; i < n; i++)
        variable[i] = i * i;
    struct pair grow(int by)
    {
        int sum = 0;
        void add(int index) { sum += array[index] + variable[index % 3]; p.b += by; }
        for (int i = 0; i < 4; i++)
            add(i);
        p.a += sum;
        return p;
    }
    struct pair q = grow(2);
    return q.a * 100 + (int)q.b;
}

static int recursive(int n, int (*outer)(int))
{
    int here = n;
    int add(int x) { return x + here; }
    if (n == 0)
        return outer(100);
    return recursive(n - 1, n == 2 ? add : outer) + here;
}

static int leaves(int steps)
{
    __label__ done;
    int count = 0;
    void step(int left)
    {
        int own[3] = {left, left, left};
        count += own[left % 3];
        if (left == 0)
            goto done;
        step(left - 1);
    }
    for (int i = 0; i < 3; i++) {
        int inner = i;
        step(steps + inner);
    }
    return -1;
done:
    return count;
}

static int again(void)
{
    __label__ next;
    int rounds = 0;
    void jump(void) { goto next; }
next:
    rounds++;
    {
        int in_block = rounds;
        if (in_block < 5)
            jump();
    }
    return rounds;
}

static int through_labels(int which)
{
    __label__ first, second;
    void *choose(int n) { return n ? &&first : &&second; }
    goto *choose(which);
first:
    return 1;
second:
    return 2;
}

static int name(void) { return 10; }

static int hides(void)
{
    int name(x) short x; { return x + 1; }
    return ({ int twice(int x) { return 2 * name(x); } twice(3); });
}

int main(void)
{
    printf("%d\n", man_or_boy(6, one, minus_one, minus_one, one, zero));
    printf("%d %d\n", captures(5), captures(4));
    printf("%d\n", recursive(4, 0));
    printf("%d %d\n", leaves(7), again());
    printf("%d %d\n", through_labels(1), through_labels(0));
    printf("%d %d\n", hides(), name());
    int keys[5] = {3, 1, 4, 1, 5}, sign = -1;
    int compare(const void *a, const void *b)
    {
        return sign * (*(const int *)a - *(const int *)b);
    }
    qsort(keys, 5, sizeof *keys, compare);
    for (int i = 0; i < 5; i++)
        printf("%d ", keys[i]);
    int (*saved)(const void *, const void *) = compare;
    printf("%d %s\n", saved == compare, ({ const char *f(void) { return __func__; } f(); }));
    return 0;
}
