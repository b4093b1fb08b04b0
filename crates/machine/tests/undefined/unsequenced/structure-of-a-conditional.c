union u { int a; float b; };
static int sum(int b, union u u) {
    return u.a + b;
}
int main(int argc, char **argv) {
    union u u = {1}, w = {2};
    (void)argv;
    return sum(u.a = 3, argc ? u : w); //~ UB unsequenced
}
