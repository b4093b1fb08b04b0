// compiler: none
typedef int v4 __attribute__((vector_size(16)));
int main(void) {
    v4 v = {1, 2, 3, 4}, m = {3, 2, 1, 0};
    v4 w = __builtin_shuffle(v, (m[0] = v[1]++, m)); //~ UB unsequenced
    return w[0];
}
