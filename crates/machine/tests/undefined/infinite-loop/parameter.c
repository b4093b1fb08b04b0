// steps: 100000
static int spin(unsigned n) {
    do {
        n = n * 2 / 2;
    } while (n); //~ UB infinite-loop
    return 0;
}

int main(void) {
    return spin(3);
}
