_Static_assert(1, "file scope");
struct s { int a; _Static_assert(sizeof(int) == 4, "member"); int b; };
int main(void) {
    _Static_assert(sizeof(struct s) == 8, "block");
    _Static_assert(1 ? 2 : 1 / 0, "unevaluated");
    return 0;
}
