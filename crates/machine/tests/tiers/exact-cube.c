// tier: exact
volatile double third = 3.0;
int main(void) {
    double x = 1.0;
    for (int i = 0; i < 30; i++) x *= third;
    return (int)(x / 4294967296.0) & 127;
}
