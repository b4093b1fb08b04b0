// Functions for the device, each of which stands in a text that calls it. Empty lines separate
// them. They compute what the functions of gcc and of the C library do.

__device__ static int farrier_popcount(unsigned int a) { return __popc(a); }

__device__ static int farrier_popcountl(unsigned long a) { return __popcll(a); }

__device__ static int farrier_popcountll(unsigned long long a) { return __popcll(a); }

__device__ static int farrier_parity(unsigned int a) { return farrier_popcount(a) & 1; }

__device__ static int farrier_parityl(unsigned long a) { return farrier_popcountl(a) & 1; }

__device__ static int farrier_parityll(unsigned long long a) { return farrier_popcountll(a) & 1; }

__device__ static int farrier_clz(unsigned int a) { return __clz((int)a); }

__device__ static int farrier_clzl(unsigned long a) { return __clzll((long long)a); }

__device__ static int farrier_clzll(unsigned long long a) { return __clzll((long long)a); }

__device__ static int farrier_ctz(unsigned int a) { return __ffs((int)a) - 1; }

__device__ static int farrier_ctzl(unsigned long a) { return __ffsll((long long)a) - 1; }

__device__ static int farrier_ctzll(unsigned long long a) { return __ffsll((long long)a) - 1; }

__device__ static int farrier_ffs(int a) { return __ffs(a); }

__device__ static int farrier_ffsl(long a) { return __ffsll(a); }

__device__ static int farrier_ffsll(long long a) { return __ffsll(a); }

__device__ static int farrier_clrsb(int a) { return __clz(a ^ (a >> 31)) - 1; }

__device__ static int farrier_clrsbl(long a) { return __clzll(a ^ (a >> 63)) - 1; }

__device__ static int farrier_clrsbll(long long a) { return __clzll(a ^ (a >> 63)) - 1; }

__device__ static unsigned short farrier_bswap16(unsigned short a) { return (unsigned short)(a << 8 | a >> 8); }

__device__ static unsigned int farrier_bswap32(unsigned int a) { return __byte_perm(a, 0, 0x0123); }

__device__ static unsigned long farrier_bswap64(unsigned long a) { return (unsigned long)farrier_bswap32((unsigned int)a) << 32 | farrier_bswap32((unsigned int)(a >> 32)); }

__device__ static void farrier_trap() { __trap(); }

__device__ static void farrier_abort() { __trap(); }

__device__ static void *farrier_memmove(void *to, const void *from, size_t count)
{
    unsigned char *a = (unsigned char *)to;
    const unsigned char *b = (const unsigned char *)from;
    if (a < b)
        for (size_t i = 0; i < count; ++i)
            a[i] = b[i];
    else
        for (size_t i = count; i > 0; --i)
            a[i - 1] = b[i - 1];
    return to;
}

__device__ static int farrier_memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < count; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

__device__ static void *farrier_memchr(const void *where, int what, size_t count)
{
    const unsigned char *a = (const unsigned char *)where;
    for (size_t i = 0; i < count; ++i)
        if (a[i] == (unsigned char)what)
            return (void *)(a + i);
    return 0;
}

__device__ static double farrier_sqrt(double a) { return sqrt(a); }

__device__ static float farrier_sqrtf(float a) { return sqrtf(a); }

__device__ static double farrier_fma(double a, double b, double c) { return fma(a, b, c); }

__device__ static float farrier_fmaf(float a, float b, float c) { return fmaf(a, b, c); }

__device__ static double farrier_floor(double a) { return floor(a); }

__device__ static float farrier_floorf(float a) { return floorf(a); }

__device__ static double farrier_ceil(double a) { return ceil(a); }

__device__ static float farrier_ceilf(float a) { return ceilf(a); }

__device__ static double farrier_trunc(double a) { return trunc(a); }

__device__ static float farrier_truncf(float a) { return truncf(a); }

__device__ static double farrier_rint(double a) { return rint(a); }

__device__ static float farrier_rintf(float a) { return rintf(a); }

__device__ static double farrier_nearbyint(double a) { return nearbyint(a); }

__device__ static float farrier_nearbyintf(float a) { return nearbyintf(a); }

__device__ static double farrier_round(double a) { return round(a); }

__device__ static float farrier_roundf(float a) { return roundf(a); }

__device__ static double farrier_fabs(double a) { return fabs(a); }

__device__ static float farrier_fabsf(float a) { return fabsf(a); }

__device__ static double farrier_fmod(double a, double b) { return fmod(a, b); }

__device__ static float farrier_fmodf(float a, float b) { return fmodf(a, b); }

__device__ static double farrier_fdim(double a, double b) { return fdim(a, b); }

__device__ static float farrier_fdimf(float a, float b) { return fdimf(a, b); }

__device__ static double farrier_copysign(double a, double b) { return copysign(a, b); }

__device__ static float farrier_copysignf(float a, float b) { return copysignf(a, b); }

__device__ static double farrier_fmin(double a, double b) { return fmin(a, b); }

__device__ static float farrier_fminf(float a, float b) { return fminf(a, b); }

__device__ static double farrier_fmax(double a, double b) { return fmax(a, b); }

__device__ static float farrier_fmaxf(float a, float b) { return fmaxf(a, b); }

__device__ static double farrier_ldexp(double a, int b) { return ldexp(a, b); }

__device__ static float farrier_ldexpf(float a, int b) { return ldexpf(a, b); }

__device__ static double farrier_scalbn(double a, int b) { return scalbn(a, b); }

__device__ static float farrier_scalbnf(float a, int b) { return scalbnf(a, b); }

__device__ static double farrier_frexp(double a, int *b) { return frexp(a, b); }

__device__ static float farrier_frexpf(float a, int *b) { return frexpf(a, b); }

__device__ static int farrier_isgreater(double a, double b) { return a > b; }

__device__ static int farrier_isgreaterequal(double a, double b) { return a >= b; }

__device__ static int farrier_isless(double a, double b) { return a < b; }

__device__ static int farrier_islessequal(double a, double b) { return a <= b; }

__device__ static int farrier_islessgreater(double a, double b) { return a < b || a > b; }

__device__ static int farrier_isunordered(double a, double b) { return a != a || b != b; }

__device__ static int farrier_signbit(double a) { return __double2hiint(a) < 0; }

