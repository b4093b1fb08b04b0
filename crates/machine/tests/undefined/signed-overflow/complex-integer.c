int main(void)
{
    _Complex int z = 70000 + 70000i;
    z = z * z; //~ UB signed-overflow
    return __imag__ z;
}
