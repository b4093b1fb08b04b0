typedef __builtin_va_list va_list;
static int sum(int n, ...) {
    va_list list, copy;
    __builtin_va_start(list, n);
    __builtin_va_copy(copy, list);
    int total = 0;
    for (int i = 0; i < n; i++) total += __builtin_va_arg(list, int);
    for (int i = 0; i < n; i++) total += __builtin_va_arg(copy, int);
    __builtin_va_end(list);
    __builtin_va_end(copy);
    return total;
}
static double mixed(const char *s, ...) {
    va_list list;
    __builtin_va_start(list, s);
    double d = __builtin_va_arg(list, double);
    struct p { int a; long b; } p = __builtin_va_arg(list, struct p);
    char *t = __builtin_va_arg(list, char *);
    __builtin_va_end(list);
    return d + p.a + p.b + t[0] - '0';
}
struct p { int a; long b; };
struct o { char c; int a[4]; struct { short s; } in[2]; };
int main(void) {
    int r;
    unsigned u;
    char buffer[8];
    if (sum(3, 1, 2, 3) != 12) return 1;
    if (mixed("", 1.5, (struct p){ 1, 2 }, "4") != 8.5) return 2;
    if (!__builtin_add_overflow(2147483647, 1, &r)) return 3;
    if (__builtin_mul_overflow(3u, 4u, &u) || u != 12) return 4;
    if (__builtin_clz(1) != 31 || __builtin_ctzll(8) != 3 || __builtin_popcount(255) != 8) return 5;
    if (__builtin_bswap32(0x01020304) != 0x04030201 || __builtin_ffs(0)) return 6;
    if (!__builtin_constant_p(3 + 4)) return 7;
    if (__builtin_expect(r == 5, 0)) return 8;
    __builtin_memcpy(buffer, "abcdefg", 8);
    __builtin_memset(buffer, 'x', 2);
    if (__builtin_strlen(buffer) != 7 || __builtin_strcmp(buffer, "xxcdefg")) return 9;
    if (__builtin_choose_expr(1, 3, "no") != 3) return 10;
    if (!__builtin_types_compatible_p(int, const int) || __builtin_types_compatible_p(int, long)) return 11;
    if (__builtin_offsetof(struct o, a[2]) != 12 || __builtin_offsetof(struct o, in[1].s) != 22) return 12;
    if (__builtin_fabs(-1.5) != 1.5 || !__builtin_isnan(__builtin_nan("")) || __builtin_inf() < 1) return 13;
    if (__builtin_object_size(buffer, 0) != 8) return 14;
    if (__sync_fetch_and_add(&r, 0) != r || __atomic_load_n(&u, 5) != 12) return 15;
    if (0) __builtin_unreachable();
    if (0) __builtin_trap();
    void *frame = __builtin_frame_address(0);
    char *room = __builtin_alloca(16);
    room[0] = 1;
    return !frame;
}
