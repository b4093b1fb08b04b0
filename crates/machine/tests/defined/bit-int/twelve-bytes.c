// target: i386-linux
// std: c23
// A number of 65 bits has no bytes for all the bits to which its sign is extended: the machine
// once took the sign for a value, and accused clang.
// compiler: none
_BitInt(65) a = -1;
_BitInt(83) b = -5;
unsigned _BitInt(65) c = -1;
int main(void)
{
    if (sizeof a != 12 || a >> 64 != -1 || a >> 64 == 4294967295ULL) return 1;
    if (b / 2 != -2 || b >= 0 || (long long)(b >> 70) != -1) return 2;
    struct { char first; _BitInt(70) second; } record = { 1, -7 };
    if (record.second * 2 != -14) return 3;
    return c >> 64 != 1;
}
