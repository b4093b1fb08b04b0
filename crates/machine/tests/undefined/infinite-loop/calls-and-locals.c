// steps: 100000
static int next(const int *at) {
    int copy[2] = {*at, 0};
    const int *first = copy;
    return *first;
}

int main(void) {
    int x = 1;
    while (x != 0) { //~ UB infinite-loop
        int local = x;
        int *p = &local;
        x = next(p);
    }
    return x;
}
