int main(void) {
    __int128 count = -1;
    unsigned x = 1;
    x >>= count; //~ UB shift-count
    return x;
}
