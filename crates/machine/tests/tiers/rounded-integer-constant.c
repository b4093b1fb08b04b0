// tier: rounded
int main(void) {
    float x = 16777217;
    return x == 16777216.0f ? 4 : 5;
}
