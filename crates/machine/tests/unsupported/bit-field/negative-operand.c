struct s { unsigned long long x : 40; } s = {5};
int main(void)
{
    int i = -1;
    return s.x > i; //~ UNSUPPORTED arithmetic on a wide bit-field with a number that does not fit in 40 bits
}
