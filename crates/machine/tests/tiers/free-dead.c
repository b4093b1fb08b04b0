// tier: free
volatile int hidden = 0;
static double divide(double x, double y) { return x / y; }
int main(void) {
    double x = hidden + 6;
    if (hidden) x = divide(x, 3.0) + 0.1;
    return (int)(x / 2.0);
}
