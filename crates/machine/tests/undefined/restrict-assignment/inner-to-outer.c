int main(void) {
    int a[2] = {0};
    int *restrict p = a;
    {
        int *restrict q = p + 1;
        p = q; //~ UB restrict-assignment
    }
    return *p;
}
