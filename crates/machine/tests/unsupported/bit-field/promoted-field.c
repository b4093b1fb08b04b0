struct s { unsigned long long x : 33, y : 32; } s = {1, 2};
int main(void)
{
    return s.x - s.y > 5; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 33 bits
}
