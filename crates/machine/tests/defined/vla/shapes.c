// Variable-length arrays as locals, parameters, pointees, typedefs and in sizeof.
int printf(const char *, ...);
void *malloc(unsigned long);
void free(void *);

static int calls;
static int count(int n) { calls++; return n; }

static int sum(int rows, int columns, int a[rows][columns])
{
    int total = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            total += a[i][j];
    return total + (int)(sizeof a[0] / sizeof(int)) * 1000;
}

static int loop(int n)
{
    int total = 0;
    for (int i = 1; i <= n; i++) {
        int a[i];
        for (int j = 0; j < i; j++) a[j] = j;
        total += a[i - 1] + (int)(sizeof a / sizeof a[0]);
    }
    return total;
}

static int back(int n)
{
    int rounds = 0;
again:;
    char text[n];
    text[0] = (char)n;
    rounds += text[0] + (int)sizeof text;
    if (--n > 0) goto again;
    return rounds;
}

static int out(int n)
{
    for (int i = 0; i < 3; i++) {
        long a[n + i];
        a[0] = i;
        if (i == 1) continue;
        if (i == 2) return (int)a[0] + (int)sizeof a / (int)sizeof(long);
    }
    return 0;
}

int main(void)
{
    int n = 3, m = 4;
    int a[n][m];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = 10 * i + j;
    n = 100;
    if (sizeof a != 12 * sizeof(int) || sizeof a[0] != 4 * sizeof(int)) return 1;
    if (sum(3, 4, a) != 4138) return 2;

    int (*row)[m] = a;
    m = 1;
    row++;
    if ((*row)[2] != 12 || row[1][3] != 23 || row - a != 1) return 3;
    row += 1;
    row -= 2;
    if (row != a) return 4;

    int k = 2;
    typedef int Pair[k];
    k = 50;
    Pair p, q[3];
    if (sizeof p != 2 * sizeof(int) || sizeof q != 6 * sizeof(int)) return 5;
    if (k != 50) return 6;

    int before = calls;
    unsigned long size = sizeof(char[count(7)]);
    if (size != 7 || calls != before + 1) return 7;
    char text[count(5)];
    if (sizeof text != 5 || sizeof text != 5 || calls != before + 2) return 8;

    int (*heap)[count(6)] = malloc(2 * sizeof *heap);
    heap[1][5] = 9;
    if (((int *)heap)[11] != 9 || calls != before + 3) return 9;
    free(heap);

    if (loop(5) != 25 || back(4) != 20 || out(3) != 7) return 10;
    int cube[2][k / 25][3];
    cube[1][1][2] = 5;
    if (sizeof cube[0] != 6 * sizeof(int) || ((int *)cube)[11] != 5) return 11;
    if (sizeof *(char (*)[k])0 != 50) return 12;
    printf("vla ok %d\n", calls);
    return 0;
}
