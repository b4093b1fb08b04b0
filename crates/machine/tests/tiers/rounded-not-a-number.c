// tier: rounded
volatile double hidden = 0.0;
int main(void) {
    double x = hidden / hidden;
    return x == x ? 3 : 4;
}
