// C11 6.5.3.4p2: the operand is evaluated if it is a variable-length array.
int main(void) {
    int n = 2, i;
    int a[4][n];
    return sizeof(a[i]); //~ UB uninitialised
}
