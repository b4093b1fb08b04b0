// tier: rounded
volatile double hidden = 0.0;
int main(void) { return 1.0 / hidden > 2.0 ? 3 : 4; }
