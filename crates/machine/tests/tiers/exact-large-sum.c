// tier: exact
volatile float large = 16777215.0f;
int main(void) {
    float x = large, y = 1.0f;
    return (int)((x - large) + y);
}
