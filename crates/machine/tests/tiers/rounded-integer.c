// tier: rounded
volatile int hidden = 16777217;
int main(void) {
    float x = hidden;
    return x == 16777216.0f ? 4 : 5;
}
