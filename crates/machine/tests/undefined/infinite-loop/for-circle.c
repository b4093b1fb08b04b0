// steps: 100000
// The counter goes round: 0, 1, 2, 0, 1, 2.
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i = (i + 1) % 3) { //~ UB infinite-loop
        sum |= i;
    }
    return sum;
}
