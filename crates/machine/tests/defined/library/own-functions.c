// These are not the functions that compilers know.
static int abs(int x) { return x + 1; }
int index(int x) { return x + 2; }
int main(void) { return abs(-1) + index(-2); }
