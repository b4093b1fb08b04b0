int main(void) {
    int n = 2;
    int size = sizeof(int (*)[n++]); //~ UNSPECIFIED compiler
    return n + size;
}
