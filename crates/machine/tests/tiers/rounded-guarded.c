// tier: rounded
static float __farrier_exact_cast_double_float(double a)
{
    volatile double x = a;
    volatile float r = (float)x;
    return x == x && r != x ? r : r;
}
int main(void) {
    volatile double big = 16777217.0;
    return __farrier_exact_cast_double_float(big) != 16777216.0f;
}
