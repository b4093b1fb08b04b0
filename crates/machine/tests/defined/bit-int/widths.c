// std: c23
// Bit-precise integers, which gcc 12 does not have.
// compiler: none
int main(void)
{
    _BitInt(9) a = 255;
    unsigned _BitInt(9) b = 511;
    b++;
    if (b != 0 || a != 255) return 1;
    a -= 511;
    if (a != -256 || a >> 1 != -128) return 2;
    unsigned _BitInt(70) c = 1;
    c <<= 69;
    if ((c << 1) != 0 || c >> 69 != 1) return 3;
    if (~(unsigned _BitInt(70))0 + 1 != 0) return 4;
    _BitInt(100) d = -1;
    d *= 1000000007;
    if (d / 1000000007 != -1 || (double)d != -1000000007.0) return 5;
    unsigned _BitInt(3) e = 5;
    if (e + e != 2 || (int)e + e != 10) return 6;
    if (sizeof a != 2 || sizeof c != 16) return 7;
    struct { _BitInt(20) f : 12; } s = {-2048};
    if (s.f != -2048) return 8;
    _BitInt(9) array[3] = {1, 2, -3};
    int total = 0;
    for (int i = 0; i < 3; i++) total += array[i];
    return total;
}
