// tier: exact
volatile double large = 9007199254740991.0;
int main(void) {
    double x = (large - 9007199254740990.0) + 0.5;
    return (int)(x * 2.0);
}
