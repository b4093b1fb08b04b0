typedef int v4 __attribute__((vector_size(16)));
static int sum(v4 a, int b) {
    return a[0] + b;
}
int main(void) {
    v4 v = {1, 2, 3, 4};
    return sum(v, v[0]++); //~ UB unsequenced
}
