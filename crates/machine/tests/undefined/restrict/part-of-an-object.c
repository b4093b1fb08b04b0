// Only some bytes of an object are accessed in another way.
static void f(int *restrict p, unsigned char *bytes) {
    *p = 1;
    bytes[3] = 0; //~ UB restrict
}

int main(void) {
    int x;
    f(&x, (unsigned char *)&x);
    return 0;
}
