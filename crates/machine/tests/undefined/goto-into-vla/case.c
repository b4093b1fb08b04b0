int main(void)
{
    int n = 3;
    switch (n) { //~ UB goto-into-vla
        int a[n];
    case 3:
        a[0] = 1;
        return a[0];
    }
    return 0;
}
