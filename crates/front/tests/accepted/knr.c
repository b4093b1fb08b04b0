// std: c99
// permissive
add(a, b) int a, b; { return a + b; }
static narrow(c, f, s) char c; float f; short s; { return c + (int)f + s; }
double real(x) double x; { return x * 2; }
int *pointer(p, a) int *p; int a[]; { return p + a[0]; }
implicit(x) { return x; }
int (*chooser(which))() int which; { return which ? add : implicit; }
struct s { int a; } structure(s) struct s s; { s.a++; return s; }
function_argument(f) int f(); { return f(1, 2); }
static counter;
const limit = 3;
int main(argc, argv) char **argv; {
    int array[] = { 2, 4, 6 };
    register r = 4;
    auto t = 5;
    if (add(1, 2) != 3 || narrow(300 & 127, 2.5, 7) != 44 + 9) return 1;
    if (real(1.5) != 3.0 || *pointer(array, array) != 6) return 2;
    if (implicit(5) != 5 || chooser(1)(2, 3) != 5) return 3;
    if (structure((struct s){ 4 }).a != 5) return 4;
    if (function_argument(add) != 3) return 5;
    return counter + limit - 3 + r + t - 9;
}
