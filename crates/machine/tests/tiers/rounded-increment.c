// tier: rounded
volatile float hidden = 16777216.0f;
int main(void) {
    hidden++;
    return hidden == 16777216.0f;
}
