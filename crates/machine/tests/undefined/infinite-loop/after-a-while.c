// steps: 200000
// It runs into its circle only after some rounds.
int main(void) {
    int i = 0;
    while (i < 1000) { //~ UB infinite-loop
        if (i < 999)
            i++;
    }
    return 0;
}
