// The value of an assignment is no lvalue: the array in it is not that of `x`.
struct s {
    int a[2];
} x, y;

int main(void) {
    (x = y).a[1]++; //~ UB write-to-temporary
    return 0;
}
