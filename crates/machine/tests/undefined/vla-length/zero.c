int main(void)
{
    int n = 0;
    int a[n]; //~ UB vla-length
    (void)a;
    return 0;
}
