// tier: exact
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
static double __farrier_exact_div_double(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x / y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !(y != 0 && __farrier_product_double(r, y, x))) ? a : r;
}
static double __farrier_exact_add_double(double a, double b)
{
    volatile double x = a, y = b;
    volatile double r = x + y;
    return (x - x != 0 || y - y != 0 ? r != r && x == x && y == y
        : !((x < 0 ? -x : x) >= (y < 0 ? -y : y) ? r - x == y : r - y == x)) ? a : r;
}
static float __farrier_exact_cast_double_float_or(double a, float c)
{
    volatile double x = a;
    volatile float r = (float)x;
    return x == x && r != x ? c : r;
}
int main(void) {
    volatile double one = 1.0, three = 3.0, big = 16777217.0, large = 9007199254740992.0;
    double kept = __farrier_exact_div_double(one, three);
    double sum = __farrier_exact_add_double(large, one);
    float other = __farrier_exact_cast_double_float_or(big, 2.5f);
    return kept != 1.0 || sum != large || other != 2.5f;
}
