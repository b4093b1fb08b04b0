static int third(const int *p) {
    return p[2];
}
int main(void) {
    int a[3] = {1, third(a)}; //~ UNSPECIFIED order
    return a[1];
}
