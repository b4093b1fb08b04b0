// The count does not fit 64 bits; its low half would be a good one.
int main(void) {
    __int128 count = ((__int128)1 << 64) + 3;
    return 1 << count; //~ UB shift-count
}
