struct s { unsigned long long x : 33; long long y : 40; } s = {5, -1};
int main(void)
{
    return s.x < s.y; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 39 bits
}
