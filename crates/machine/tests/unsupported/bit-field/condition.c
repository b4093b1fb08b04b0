struct s { unsigned long long x : 33; } s = {5};
int main(void)
{
    long long l = -1;
    double d = s.x == 5 ? l : s.x; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 63 bits
    return d > 0;
}
