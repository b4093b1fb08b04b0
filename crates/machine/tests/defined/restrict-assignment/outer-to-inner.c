// C11 6.7.3.1, example 4: values may go from an outer block to an inner one.
int main(void) {
    int a[4] = {1, 2, 3, 4};
    int *restrict p1 = a;
    int *restrict q1 = a + 2;
    {
        int *restrict p2 = p1;
        int *restrict q2 = q1;
        p2[0] = q2[0];
        p2[1] = q2[1];
    }
    p1 = p1 + 1;
    p1++;
    p1 = p1;
    return p1[-2] - 3;
}
