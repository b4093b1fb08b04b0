// tier: rounded
volatile double hidden = 0x1p-1070;
int main(void) { return hidden * 0x1p-20 == 0.0 ? 3 : 4; }
