// Two counters that go round with different periods: the states recur late.
int main(void) {
    unsigned a = 0, b = 0, rounds = 0;
    do {
        a = (a + 1) % 389;
        b = (b + 1) % 397;
        rounds = (rounds + 1) & 1;
    } while (a != 0 || b != 0);
    return rounds != 1;
}
