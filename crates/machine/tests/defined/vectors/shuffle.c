// __builtin_shuffle, which only GCC has.
// compiler: none
int printf(const char *, ...);

typedef int V4 __attribute__((vector_size(16)));

static void show(const char *what, V4 v) { printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]); }

int main(void)
{
    V4 a = {1, -2, 3, -4}, b = {5, 6, 7, 8};
    show("shuffle", __builtin_shuffle(a, (V4){3, 2, 1, 8}));
    show("shuffle2", __builtin_shuffle(a, b, (V4){0, 4, 1, 13}));
    return 0;
}
