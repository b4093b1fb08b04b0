static int f(int n, int a[2][n]) //~ UB vla-length
{
    return a[0][0] + n;
}
int main(void)
{
    int a[2][2] = {{0}};
    return f(-1, a);
}
