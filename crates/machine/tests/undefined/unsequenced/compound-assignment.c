int main(void) {
    int x = 1, *p = &x;
    *p += x++; //~ UB unsequenced
    return x;
}
