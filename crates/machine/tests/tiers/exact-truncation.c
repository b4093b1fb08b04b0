// tier: exact
volatile double hidden = -6.75;
int main(void) {
    union { double number; unsigned long long bits; } u = {hidden * 2.0};
    return (int)hidden + 10 + (int)(u.bits >> 60);
}
