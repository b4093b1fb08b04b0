// std: c23
int main(void)
{
    _BitInt(9) a = 255;
    a++; //~ UB signed-overflow
    return 0;
}
