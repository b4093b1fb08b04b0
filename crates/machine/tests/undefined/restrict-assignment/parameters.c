static void f(int *restrict p, int *restrict q) {
    p = q + 1; //~ UB restrict-assignment
    *p = 1;
}

int main(void) {
    int a[2] = {0}, b;
    f(&b, a);
    return 0;
}
