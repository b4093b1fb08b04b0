// target: x86_64-linux
// The bytes of vectors through casts and unions, where the first byte is the lowest.
typedef unsigned char B8 __attribute__((vector_size(8)));
typedef unsigned short S4 __attribute__((vector_size(8)));
typedef unsigned I2 __attribute__((vector_size(8)));
typedef unsigned long long L1 __attribute__((vector_size(8)));

union View { S4 lanes; unsigned numbers[2]; unsigned char bytes[8]; };

int main(void)
{
    S4 s = {0x0102, 0x0304, 0x0506, 0x0708};
    B8 b = (B8)s;
    if (b[0] != 2 || b[1] != 1 || b[7] != 7)
        return 1;
    I2 i = (I2)b;
    if (i[0] != 0x03040102 || i[1] != 0x07080506)
        return 2;
    L1 l = (L1)(i + 1);
    if (l[0] != 0x0708050703040103ull)
        return 3;
    union View view;
    view.lanes = s;
    if (view.numbers[0] != 0x03040102 || view.bytes[6] != 8)
        return 4;
    view.bytes[1] = 0xff;
    view.numbers[1] = 0x0a0b0c0d;
    s = view.lanes;
    return s[0] == 0xff02 && s[3] == 0x0a0b ? 0 : 5;
}
