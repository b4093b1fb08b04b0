int effects;
int touch(int a) { effects = effects * 10 + a; return a; }
struct s { int a; int b[3]; } s = { 1, { 2, 3, 4 } };
struct s make(void) { return s; }
int vals(void) { return make().b[1] + make().a; }
int main(void) {
    int a = 5, b = 3, *p = &a, **pp = &p, array[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    unsigned u = 5;
    signed char sc = -1;
    unsigned char uc = 255;
    int comma = (touch(1), touch(2), 3);
    int c1 = a > b ? a : b ? 7 : 8, c2 = touch(0) && touch(9), c3 = touch(4) || touch(8);
    a += b -= 1;
    uc += 2;
    sc <<= 3;
    p += 0; --*p; (*p)++; ++**pp;
    int n = -a - -b + +b * ~b / (b | 1) % 5 & 0xff ^ 3;
    int parens = (a - (b - 1)) - ((a - b) - 1), shift = 1 << 2 + 1, mix = a & b == 2;
    int (*fp)(int) = touch, (*table[2])(int) = { &touch, *touch };
    (***fp)(5); table[1](6);
    return !(comma == 3 && c1 == 5 && c2 == 0 && c3 == 1 && a == 8 && b == 2 && uc == 1 && sc == -8
        && effects == 1204 * 100 + 56 && parens == 2 && shift == 8 && mix == 0 && 2[array[1]] == 6
        && *(*(array + 1) + 1) == 5 && &array[1][0] - &array[0][0] == 3 && vals() == 4 && !!u == 1
        && sizeof array / sizeof *array == 2 && (u - 6 > 0) && (sc < uc) && &*p == p && &array[1][3] - array[1] == 3
        && (char)300 == 44 && (_Bool)0.5 == 1 && (int)-1.9 == -1 && n == n && -1 >> 1 == -1 && (p, 1));
}
