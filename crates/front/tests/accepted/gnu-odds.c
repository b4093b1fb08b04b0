struct empty { };
struct empty e;
union cast { int i; float f; };
int zero_args() { return 0; }
int arithmetic(void *p) { return (char *)(p + 1) - (char *)p; }
int fptr(void) { return sizeof(int(void)) + sizeof(void); }
static int pretty(void) { return sizeof __FUNCTION__ + sizeof __func__; }
int dollar$name = 3;
int non_constant(int a, int b) { int array[] = { a, b, a + b }; return array[2]; }
typedef unsigned u_mode __attribute__((mode(DI)));
typedef float f_mode __attribute__((mode(DF)));
int lvalue_comma(int a, int b) { return (a, b); }
long long shifts = 1LL << 40;
int main(void) {
    union cast u = (union cast)1.5f;
    union cast w = (union cast)3;
    int binary = 0b11, escape = '\e';
    const char *name = __func__;
    int *p = (int[]){ 1, 2, 3 };
    return !(sizeof e == 0 && arithmetic(p) == 1 && fptr() == 2 && pretty() == 14 && dollar$name == 3
        && non_constant(1, 2) == 3 && sizeof(u_mode) == 8 && sizeof(f_mode) == 8 && u.f == 1.5f && w.i == 3
        && binary == 3 && escape == 27 && name[0] == 'm' && p[2] == 3 && lvalue_comma(1, 2) == 2);
}
