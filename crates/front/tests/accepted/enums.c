enum simple { A, B, C = 10, D, E = -1, F };
enum { ANONYMOUS = 3, } variable;
enum unsigned_one { BIG = 0xffffffff };
enum wide { WIDE = 0x100000000, NEGATIVE = -1 };
enum last_comma { LAST, };
enum by_size { SIZE = sizeof(int), NEXT, CHAR = 'c', EXPR = (A + C) * 2 };
typedef enum { T1, T2 } enum_type;
enum simple f(enum simple a) { return a == A ? B : C; }
int main(void) {
    enum simple s = D;
    enum_type t = T2;
    unsigned u = s;
    enum local { INNER = D } l = INNER;
    int array[F + 1] = { 1 };
    s++;
    return !(D == 11 && F == 0 && sizeof(enum simple) == 4 && sizeof(enum wide) == 8 && sizeof WIDE == 8
        && BIG > 0 && NEXT == 5 && EXPR == 20 && f(A) == B && t == 1 && s == 12 && u == 11 && l == 11
        && (enum simple)-1 < 0 && (enum unsigned_one)-1 > 0 && array[0] == 1 && variable == 0);
}
