struct s { int a, b; struct { int c, d; } e; };
struct s one = { b: 2, a: 1 };
struct s two = { e: { d: 4 } };
int array[4] = { [1] 5, [2 ... 3] 6 };
union u { int i; float f; } u = { f: 1.5f };
int main(void) {
    struct s three = { a: one.a, .e = { c: 3 } };
    return !(one.b == 2 && one.a == 1 && two.e.d == 4 && two.a == 0 && array[1] == 5
        && array[3] == 6 && array[0] == 0 && u.f == 1.5f && three.e.c == 3 && three.a == 1);
}
