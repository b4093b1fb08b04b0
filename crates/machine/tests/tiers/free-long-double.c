// tier: free
volatile int hidden = 9;
int main(void) {
    long double x = hidden, y = 1;
    for (int i = 0; i < 3; i++) y = (long double)((long)(y * x + 1.0L) % 1000);
    return (int)y & 127;
}
