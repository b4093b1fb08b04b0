// A loop that takes long and ends: the same registers, one counter in memory.
static unsigned counter;

int main(void) {
    unsigned *at = &counter;
    while (*at < 700000) {
        (*at)++;
    }
    return counter - 700000;
}
