_Float128 q = 1.5f128, r = 0x1.8p3f128;
__float128 g = 2.5q;
_Float32 f32 = 1.5f32;
_Float64 f64 = 1.5f64;
_Float32x f32x = 1.5f32x;
_Float64x f64x = 1.5f64x;
long double ld = 1.0e4000L, tiny = 0x1p-16445L;
double hex = 0x.8p1, dec = .5e+1, denormal = 4.9406564584124654e-324, large = 1.7976931348623157e308;
float f = 3.4028234663852886e38f, third = 1.0f / 3;
double inf = 1.0 / 0.0, minus_zero = -0.0;
int main(void) {
    return !(q + r == 13.5f128 && g == 2.5 && f32 == f64 && f32x == f64x && ld > 1e300L
        && hex == 1.0 && dec == 5.0 && denormal > 0 && denormal / 2 == 0 && tiny > 0
        && sizeof(q) == 16 && sizeof ld == 16 && inf > large && 1 / minus_zero < 0 && f > 3e38f
        && sizeof(1.0f + 1.0) == 8 && third < 0.34f);
}
