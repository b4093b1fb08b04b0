// Guards on exactness mean what their wrappers do, which are printed by `farrier fmt`.
static unsigned long long __farrier_odd_double(double x, int *exponent)
{
    union { double value; unsigned long long bits; } u;
    unsigned long long m;
    int e;
    u.value = x;
    m = u.bits & (((unsigned long long)1 << 52) - 1);
    e = (int)(u.bits >> 52 & 0x7ff);
    if (e == 0)
        e = 1;
    else
        m |= (unsigned long long)1 << 52;
    while ((m & 1) == 0) {
        m >>= 1;
        e++;
    }
    *exponent = e - 1075;
    return m;
}
static int __farrier_product_double(double x, double y, double z)
{
    unsigned long long l, m, n;
    int i, j, k;
    if (x - x != 0 || y - y != 0 || z - z != 0)
        return 0;
    if (x == 0 || y == 0)
        return z == 0;
    if (z == 0)
        return 0;
    l = __farrier_odd_double(x, &i);
    m = __farrier_odd_double(y, &j);
    n = __farrier_odd_double(z, &k);
    return l <= (((unsigned long long)1 << 53) - 1) / m && l * m == n && i + j == k;
}
static double __farrier_exact_neg_double(double a)
{
    volatile double x = a;
    volatile double r = -x;
    return r;
}
static double __farrier_exact_mul_double(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x * y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !(__farrier_product_double(x, y, r))) ? a : r;
}
static double __farrier_exact_mul_double_or(double a, double b, double c)
{
    volatile double x = a, y = b;
    volatile double r = x * y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !(__farrier_product_double(x, y, r))) ? c : r;
}
static double __farrier_exact_div_double_or(double a, double b, double c)
{
    volatile double x = a, y = b;
    volatile double r = x / y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !(y != 0 && __farrier_product_double(r, y, x))) ? c : r;
}
static float __farrier_exact_add_float_or(float a, float b, float c)
{
    volatile float x = a, y = b;
    volatile float r = x + y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? r - x == y : r - y == x)) ? c : r;
}
static double __farrier_exact_add_double(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x + y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? r - x == y : r - y == x)) ? a : r;
}
static double __farrier_exact_add_double_or(double a, double b, double c)
{
    volatile double x = a, y = b;
    volatile double r = x + y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? r - x == y : r - y == x)) ? c : r;
}
static double __farrier_exact_sub_double(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x - y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? x - r == y : r + y == x)) ? a : r;
}
static double __farrier_exact_sub_double_or(double a, double b, double c)
{
    volatile double x = a, y = b;
    volatile double r = x - y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? x - r == y : r + y == x)) ? c : r;
}
static float __farrier_exact_cast_int_float(int a)
{
    volatile float r = (float)a;
    return r - r != 0 || r >= 0x1p31 || (int)r != a ? r : r;
}
static float __farrier_exact_cast_int_float_or(int a, float c)
{
    volatile float r = (float)a;
    return r - r != 0 || r >= 0x1p31 || (int)r != a ? c : r;
}
static double __farrier_exact_cast_int_double_or(int a, double c)
{
    volatile double r = (double)a;
    return r - r != 0 || r >= 0x1p31 || (int)r != a ? c : r;
}
static double __farrier_exact_cast_llong_double_or(long long a, double c)
{
    volatile double r = (double)a;
    return r - r != 0 || r >= 0x1p63 || (long long)r != a ? c : r;
}
static double __farrier_exact_cast_ullong_double_or(unsigned long long a, double c)
{
    volatile double r = (double)a;
    return r - r != 0 || r >= 0x1p64 || (unsigned long long)r != a ? c : r;
}
static int __farrier_exact_cast_double_int(double a)
{
    return !(a > -0x80000001p0 && a < 0x1p31 && (double)(int)a == a) ? 0 : (int)a;
}
static int __farrier_exact_cast_double_int_or(double a, int c)
{
    return !(a > -0x80000001p0 && a < 0x1p31 && (double)(int)a == a) ? c : (int)a;
}
static float __farrier_exact_cast_double_float(double a)
{
    volatile double x = a;
    volatile float r = (float)x;
    return x == x && r != x ? r : r;
}
static float __farrier_exact_cast_double_float_or(double a, float c)
{
    volatile double x = a;
    volatile float r = (float)x;
    return x == x && r != x ? c : r;
}
int printf(const char *, ...);
double zero = 0.0;
double third = 1.0 / 3;
double big = 1e308;
double one = 1;
double nan_value;
double infinity;
float small = 0.5f;
int n = 16777217;
long long wide = 9007199254740993L;
unsigned long long top = ~0ULL;
int main(void)
{
    infinity = big * 10;
    nan_value = infinity - infinity;
    printf("%a %a\n", __farrier_exact_add_double(one, third), __farrier_exact_add_double(one, 0.5));
    printf("%a %a\n", __farrier_exact_sub_double(one, 1e-30), __farrier_exact_sub_double(one, 0.25));
    printf("%a %a\n", __farrier_exact_mul_double(third, third), __farrier_exact_mul_double(big, big));
    printf("%a %a\n", __farrier_exact_mul_double_or(third, third, 7.0), __farrier_exact_mul_double_or(0.5, 0.25, 7.0));
    printf("%a %a\n", __farrier_exact_mul_double_or(5e-324, 0.5, 7.0), __farrier_exact_mul_double_or(5e-324, 4, 7.0));
    printf("%a %a\n", __farrier_exact_div_double_or(one, 3, 2.0), __farrier_exact_div_double_or(one, 8, 2.0));
    printf("%a %a\n", __farrier_exact_div_double_or(one, zero, 2.0), __farrier_exact_div_double_or(zero, zero, 2.0));
    printf("%a %a\n", __farrier_exact_add_double_or(infinity, one, 2.0), __farrier_exact_sub_double_or(infinity, infinity, 2.0));
    printf("%a %a\n", __farrier_exact_neg_double(one), __farrier_exact_neg_double(-0.0));
    printf("%a %a\n", (double)__farrier_exact_cast_double_float(third), (double)__farrier_exact_cast_double_float_or(third, small));
    printf("%a %a\n", (double)__farrier_exact_cast_double_float_or(1.5, small), (double)__farrier_exact_cast_double_float_or(big, small));
    printf("%d %d\n", __farrier_exact_cast_double_int(1.5), __farrier_exact_cast_double_int(-3.0));
    printf("%d %d\n", __farrier_exact_cast_double_int_or(-0.0, 5), __farrier_exact_cast_double_int_or(3000000000.0, 5));
    printf("%d %d\n", __farrier_exact_cast_double_int_or(nan_value, 5), __farrier_exact_cast_double_int_or(-2147483648.0, 5));
    printf("%a %a\n", (double)__farrier_exact_cast_int_float(n), (double)__farrier_exact_cast_int_float_or(n, small));
    printf("%a %a\n", (double)__farrier_exact_cast_int_float_or(n - 1, small), __farrier_exact_cast_int_double_or(n, one));
    printf("%a %a\n", __farrier_exact_cast_llong_double_or(wide, one), __farrier_exact_cast_llong_double_or(wide - 1, one));
    printf("%a %a\n", __farrier_exact_cast_ullong_double_or(top, one), __farrier_exact_cast_ullong_double_or(top << 20, one));
    printf("%a\n", (double)__farrier_exact_add_float_or(small, 5.9604645e-8f, 3.0f));
    return 0;
}
