int main(void) {
    int a[4] = {0};
    {
        int *restrict p = a;
        p[2] = 1;
        a[2]++; //~ UB restrict
    }
    return 0;
}
