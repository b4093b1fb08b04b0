struct s { unsigned a : 4, b : 4; };

int main(void)
{
    struct s s = {1, 2};
    return (s.a = 5) + s.a++; //~ UB unsequenced
}
