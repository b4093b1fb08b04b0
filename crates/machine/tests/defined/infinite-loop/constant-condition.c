// A loop whose condition is a constant may go on as long as it likes: it is left by break.
int main(void) {
    unsigned i = 0;
    while (1) {
        if (++i == 100000)
            break;
    }
    for (;;) {
        if (--i == 0)
            break;
    }
    do {
        i++;
    } while (0);
    return i - 1;
}
