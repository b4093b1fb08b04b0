int calls;
int count(void) { calls++; return 3; }
int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int matrix(int rows, int columns, int a[rows][columns]) { return a[rows - 1][columns - 1]; }
int star(int n, int a[*][*]);
int star(int n, int a[n][n]) { return a[0][1]; }
int statics(int a[static 3], int b[const]) { return a[2] + b[0]; }
int old(int n, int (*p)[n]) { return (*p)[n - 1] + sizeof *p; }
int main(void) {
    int n = 4;
    int a[n], b[count()][2];
    for (int i = 0; i < n; i++) a[i] = i;
    n = 10;
    int size = sizeof a, bsize = sizeof b;
    int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int (*pointer)[n - 7] = m;
    typedef int row[n];
    row r;
    n++;
    int sz = sizeof(int[count()]);
    int rr = sizeof r;
    int sq[2][2] = { { 1, 2 }, { 3, 4 } };
    for (int i = 1; i < 4; i++) { char inner[i]; inner[i - 1] = i; if (sizeof inner != i) return 1; }
    { struct { int x; } one[n]; one[10].x = 4; if (sizeof one != 44) return 2; }
    return !(size == 16 && bsize == 24 && sum(4, a) == 6 && matrix(2, 3, m) == 6 && pointer[1][2] == 6
        && rr == 40 && sz == 12 && calls == 2 && star(2, sq) == 2 && statics(a, a) == 2
        && old(4, &a) == 19);
}
