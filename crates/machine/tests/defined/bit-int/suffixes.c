// std: c23
// compiler: none
// Checked with clang 19 and 22.
int main(void)
{
    auto sum = 7wbu + 0b1'01uwb;
    return !(sum == 4wbu && _Generic(sum, unsigned _BitInt(3): 1, default: 0) &&
             1'000WB == 1000 && 0x7fUWB == 127);
}
