int a = 3;
const volatile int cv = 1;
typeof(a) b = 4;
__typeof__(int *) p = &a;
__typeof(&a) q = &b;
typeof(int[3]) array = { 1, 2, 3 };
typeof(array) other = { 4, 5, 6 };
typeof(int (*)(int)) function;
int main(void);
typeof(main) *m;
typeof(struct { int x; }) anonymous = { 7 };
int main(void);
int main(void) {
    typeof(cv) copy = 2;
    typeof(*p) value = *q;
    typeof(a++) untouched = 1;
    typeof(({ int z = 1; z; })) se = 9;
    typeof(a ? p : q) r = p;
    const typeof(int) k = 5;
    typeof(typeof(char *)[4]) strings = { "a", "b", "c", "d" };
    return !(a == 3 && b == 4 && copy == 2 && value == 4 && *r == 3 && other[2] == 6 && k == 5
        && strings[3][0] == 'd' && anonymous.x == 7 && sizeof strings == 32 && se == 9
        && untouched == 1 && !m && !function);
}
