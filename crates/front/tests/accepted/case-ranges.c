int classify(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a'...'f':
    case 'A' ... 'F': return 2;
    case -5 ... -1: return 3;
    case 1000 ... 1000: return 4;
    case 9 ... 8: return 5;
    default: return 0;
    }
}
int wide(unsigned long long u) {
    switch (u) {
    case 0xfffffffffffffff0ull ... 0xffffffffffffffffull: return 1;
    case -100 ... -50: return 2;
    }
    return 0;
}
int small(unsigned char c) { switch (c) { case 200 ... 255: return 1; } return 0; }
int main(void) {
    return !(classify('5') == 1 && classify('b') == 2 && classify('F') == 2 && classify(-3) == 3
        && classify(1000) == 4 && classify(2000) == 0 && wide(-1ull) == 1 && wide(-60) == 2
        && !wide(-20) && small(220) == 1);
}
