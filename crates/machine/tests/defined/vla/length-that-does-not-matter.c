// No compiler can show whether these lengths are evaluated; the others are.
int main(void) {
    int n = 2;
    unsigned long size = sizeof(int (*)[n + 1]) - sizeof(int (*)[n]) + sizeof(int[n++]);
    return !(size == 2 * sizeof(int) && n == 3);
}
