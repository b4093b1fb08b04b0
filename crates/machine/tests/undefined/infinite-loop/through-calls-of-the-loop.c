// steps: 100000
// Most of the time is spent in the function that the loop calls.
static unsigned work(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 50; i++)
        sum += i % (n + 1);
    return sum & 0;
}

int main(void) {
    unsigned x = 5;
    while (work(x) == 0) { //~ UB infinite-loop
        x = 5;
    }
    return 0;
}
