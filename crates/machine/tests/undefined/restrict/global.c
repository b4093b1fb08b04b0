static int counter;

static void bump(void) {
    counter++; //~ UB restrict
}

static void f(int *restrict p) {
    *p = 5;
    bump();
}

int main(void) {
    f(&counter);
    return 0;
}
