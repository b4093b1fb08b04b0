__attribute__((section("mine"))) const int a = 1;
__attribute__((section("mine"))) int b = 2; //~ UNSUPPORTED the section "mine"
int main(void) { return a + b - 3; }
