// tier: exact
volatile double nine = 9.0, three = 3.0;
int main(void) { return (int)(nine / three); }
