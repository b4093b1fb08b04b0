typedef int v4si __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef unsigned char v16qi __attribute__((__vector_size__(16)));
typedef long v2di __attribute__((vector_size(2 * sizeof(long))));
v4si global = { 1, 2, 3, 4 }, partial = { 5 };
v4si add(v4si a, v4si b) { return a + b; }
struct holder { char c; v4si v; };
int main(void) {
    v4si a = global, b = a * 2 - 1, c = a << b % 4, d = a > b, e = -a ^ ~b;
    v4sf f = { 1.5f, 2.5f }, g = f / 2;
    v16qi q = (v16qi)a;
    v4si shuffled = __builtin_shuffle(a, (v4si){ 3, 2, 1, 0 });
    a[2] += 10;
    a += 1;
    b = add(a, (v4si){ 1, 1, 1, 1 });
    struct holder h = { 1, { 9, 8, 7, 6 } };
    v2di wide = { 1, -1 };
    int zero = !(partial[0] == 5 && partial[3] == 0);
    v4sf converted = __builtin_convertvector(global, v4sf);
    return zero || !(a[2] == 14 && b[0] == 3 && g[1] == 1.25f && q[4] == 2 && shuffled[0] == 4 && d[0] == 0
        && h.v[3] == 6 && sizeof(struct holder) == 32 && wide[1] == -1 && c[0] == 2 && e[0] == ((-1) ^ ~1)
        && converted[3] == 4.0f && (a == a)[0] == -1 && sizeof(v4si[2]) == 32);
}
