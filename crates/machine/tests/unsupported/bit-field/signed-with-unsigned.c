struct s { unsigned long long x : 33; } s = {5};
int main(void)
{
    long long l = -1;
    return s.x <= l; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 63 bits
}
