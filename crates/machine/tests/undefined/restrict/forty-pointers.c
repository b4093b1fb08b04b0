static int f(int *restrict p0, int *restrict p1, int *restrict p2, int *restrict p3, int *restrict p4, int *restrict p5, int *restrict p6, int *restrict p7, int *restrict p8, int *restrict p9, int *restrict p10, int *restrict p11, int *restrict p12, int *restrict p13, int *restrict p14, int *restrict p15, int *restrict p16, int *restrict p17, int *restrict p18, int *restrict p19, int *restrict p20, int *restrict p21, int *restrict p22, int *restrict p23, int *restrict p24, int *restrict p25, int *restrict p26, int *restrict p27, int *restrict p28, int *restrict p29, int *restrict p30, int *restrict p31, int *restrict p32, int *restrict p33, int *restrict p34, int *restrict p35, int *restrict p36, int *restrict p37, int *restrict p38, int *restrict p39) {
    *p38 = 1;
    *p39 = 2; //~ UB restrict
    return *p38;
}

int main(void) {
    int a[40];
    return f(&a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7], &a[8], &a[9], &a[10], &a[11], &a[12], &a[13], &a[14], &a[15], &a[16], &a[17], &a[18], &a[19], &a[20], &a[21], &a[22], &a[23], &a[24], &a[25], &a[26], &a[27], &a[28], &a[29], &a[30], &a[31], &a[32], &a[33], &a[34], &a[35], &a[36], &a[37], &a[38], &a[38]) - 1;
}
