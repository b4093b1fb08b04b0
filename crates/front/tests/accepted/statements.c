int loops(void) {
    int n = 0;
    for (;;) { if (++n == 3) break; else continue; }
    for (int i = 0, j = 10; i < j; i++, j--) n++;
    while (n < 20) if (n % 2) n += 3; else n++;
    do n--; while (n > 15);
    do { if (n) continue; } while (0);
    return n;
}
int duff(int count) {
    int n = (count + 3) / 4, total = 0;
    switch (count % 4) {
    case 0: do { total++;
    case 3: total++;
    case 2: total++;
    case 1: total++;
            } while (--n > 0);
    }
    return total;
}
int dangling(int a, int b) { if (a) if (b) return 1; else return 2; return 3; }
int jumps(int n) { goto in; while (n) { out: n--; in: if (n == 3) goto done; } done: return n; }
int nested(int a) {
    switch (a) { case 1: switch (a + 1) { case 2: return 5; default: break; } case 7: return 6; default:; }
    switch (a) default: return 9;
    return 0;
}
int bare(int a) { switch (a) { int unreachable; a++; case 2: unreachable = 4; return unreachable; } return a; }
int empty(void) { ; ; {} { ; } if (0) ; else ; for (; 0;) ; return 0; }
long big(unsigned long a) { switch (a) { case -1: return 1; case 1ul << 40: return 2; } return 3; }
void nothing(void) { return; }
void chained(void) { return nothing(); }
int main(void) {
    chained();
    return !(loops() == 15 && duff(7) == 7 && dangling(1, 0) == 2 && dangling(0, 0) == 3 && jumps(5) == 3
        && nested(1) == 5 && nested(7) == 6 && nested(3) == 9 && bare(2) == 4 && bare(5) == 5
        && big(-1ul) == 1 && big(1ul << 40) == 2 && empty() == 0);
}
