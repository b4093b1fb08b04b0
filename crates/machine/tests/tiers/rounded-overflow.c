// tier: rounded
volatile float hidden = 1.5e38f;
int main(void) { return hidden * 4.0f > 3e38f ? 3 : 4; }
