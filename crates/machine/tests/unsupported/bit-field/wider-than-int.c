struct s { unsigned long long x : 33; } s = {0x1ffffffff};
int main(void)
{
    return s.x + 1 == 0; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 33 bits
}
