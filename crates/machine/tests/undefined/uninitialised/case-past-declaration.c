static int f(int n)
{
    int total = 0;
    for (int i = 0; i < 2; i++)
        switch (n + i) {
        default:;
            int x = 5;
            total += x;
            break;
        case 8:
            total += x; //~ UB uninitialised
        }
    return total;
}
int main(void)
{
    return f(7);
}
