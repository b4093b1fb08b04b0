// tier: free
volatile int hidden = 5;
int main(void) {
    float x = hidden;
    float best = 0;
    for (int i = 0; i < 20; i++) {
        float y = (float)(i * hidden % 17);
        best = y > best ? y : best;
        if (x) x = -(x - y);
        x = (float)((int)x & 31);
    }
    return (int)best + !x;
}
