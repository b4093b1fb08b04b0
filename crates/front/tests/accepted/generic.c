// std: c11
typedef struct { int x; } pair;
int i; const int ci; long l; float f; double d; char c; pair p; int *ip; const int *cip; int a[3];
void fn(int);
int main(void) {
    return !(_Generic(i, int: 1, default: 0) && _Generic(ci, int: 1, default: 0)
        && _Generic(l, int: 0, long: 1) && _Generic(f, double: 0, float: 1)
        && _Generic(c + c, int: 1, default: 0) && _Generic('a', char: 0, int: 1)
        && _Generic(p, pair: 1, default: 0) && _Generic(a, int *: 1, default: 0)
        && _Generic(cip, const int *: 1, int *: 0) && _Generic("s", char *: 1, default: 0)
        && _Generic(fn, void (*)(int): 1, default: 0) && _Generic(&a, int (*)[3]: 1, default: 0)
        && _Generic(1, default: _Generic(2L, long: 1))
        && _Generic((i++, i), int: 1) && i == 0 && _Generic(0, int: ip = &i, default: d) == &i);
}
