// Accesses through a pointer to the pointer are based on it as well.
static int f(int *restrict p) {
    int *restrict *pp = &p; //~ UNSUPPORTED the address of a restricted pointer
    *p = 1;
    **pp = 2;
    return *p;
}

int main(void) {
    int x;
    return f(&x) - 2;
}
