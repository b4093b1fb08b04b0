int main(void) {
    __auto_type a = 1.5;
    const __auto_type b = 2L;
    __auto_type p = &a;
    // Lengths are evaluated once, and the type keeps them.
    int n = 2;
    __auto_type q = (int (*)[++n])0;
    int rows[2][n];
    int (*row)[n] = &rows[0];
    const __auto_type same = row + 1;
    n = 5;
    __auto_type next = ++row;
    int once = n == 5 && sizeof *q == 12 && sizeof *next == 12 && next == same;
    return !(sizeof a == 8 && sizeof b == 8 && *p == 1.5 && once);
}
