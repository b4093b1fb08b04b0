// tier: rounded
volatile long long hidden = 9007199254740993;
int main(void) { return hidden == 9007199254740992.0; }
