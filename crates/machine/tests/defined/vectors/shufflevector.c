// __builtin_shufflevector with constant indices.
int printf(const char *, ...);

typedef int V4 __attribute__((vector_size(16)));
typedef int V2 __attribute__((vector_size(8)));

int main(void)
{
    V4 a = {1, -2, 3, -4}, b = {5, 6, 7, 8};
    V4 c = __builtin_shufflevector(a, b, 0, 7, 2, 5);
    V2 d = __builtin_shufflevector(a, b, 6, 1);
    printf("%d %d %d %d %d %d\n", c[0], c[1], c[2], c[3], d[0], d[1]);
    return 0;
}
