// The inner loops come back to the same state; the outer one does not.
int main(void) {
    int rounds = 0;
    while (rounds < 60000) {
        int i = 0;
        while (i < 5)
            i++;
        rounds++;
    }
    return 0;
}
