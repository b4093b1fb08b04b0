static int take(const int *p) {
    return p[0];
}

int main(void) {
    int i = 5;
    return take((int[]){i--, i}); //~ UNSPECIFIED order
}
