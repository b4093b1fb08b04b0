// tier: exact
volatile double large = 20000000.0;
int main(void) {
    float x = (float)((large + 1.0) - 20000000.0);
    return (int)x;
}
