// tier: rounded
static const float x = 1.0 / 3.0;
int main(void) { return (int)(x * 3.0f); }
