int main(void) {
    int x = 1, *p = &x, *q = &x;
    return (*p)++ + (*q)++; //~ UB unsequenced
}
