// tier: rounded
volatile double hidden = 16777217.0;
int main(void) {
    float x = (float)hidden;
    return x == 16777216.0f;
}
