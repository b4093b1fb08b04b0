// The block of a parameter is the body of the function.
static int f(int *restrict p) {
    int *restrict q = p; //~ UB restrict-assignment
    return *q;
}

int main(void) {
    int x = 0;
    return f(&x);
}
