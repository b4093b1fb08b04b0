int main(void) {
    int a[2] = {a[1] = 5, 3}; //~ UNSPECIFIED order
    return a[1];
}
