// tier: rounded
int main(void) {
    float x = 16777216.0f;
    volatile float one = 1.0f;
    x += one;
    return x == 16777216.0f;
}
