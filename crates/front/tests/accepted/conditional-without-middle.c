int calls;
int once(int a) { calls++; return a; }
int main(void) {
    int x = once(3) ?: 7, y = once(0) ?: 8;
    char *p = 0, *q = p ?: "abc";
    double d = 0 ?: 2.5;
    unsigned char c = 200;
    long l = c ?: 5L;
    return !(x == 3 && y == 8 && calls == 2 && q[1] == 'b' && d == 2.5 && l == 200
        && sizeof(c ?: 5L) == 8 && (0 ?: 0 ?: 9) == 9);
}
