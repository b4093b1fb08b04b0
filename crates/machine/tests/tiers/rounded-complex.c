// tier: rounded
volatile double three = 3.0;
int main(void) {
    double _Complex x = 1.0;
    __imag__ x = 2.0;
    x /= three;
    return (int)(__imag__ x * 6.0);
}
