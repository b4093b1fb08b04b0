int main(void) {
    int a[2] = {0};
    int *restrict p = a;
    int *restrict q = p; //~ UB restrict-assignment
    return *q;
}
