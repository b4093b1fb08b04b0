typedef int v4 __attribute__((vector_size(16)));
static v4 v = {1, 2, 3, 4};
static int set(void) {
    v[0] = 9;
    return 1;
}
int main(void) {
    v4 w = v + set(); //~ UNSPECIFIED order
    return w[0];
}
