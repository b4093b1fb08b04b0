// tier: rounded
volatile long double hidden = 0x1p63L;
int main(void) {
    long double x = hidden + 0.25L;
    return x == hidden;
}
