int main(void) {
    __int128 count = 3;
    unsigned __int128 large = 100;
    int x = 1 << count;
    x <<= count;
    unsigned __int128 y = (unsigned __int128)1 << large;
    return x - 64 + (int)(y >> large) - 1;
}
