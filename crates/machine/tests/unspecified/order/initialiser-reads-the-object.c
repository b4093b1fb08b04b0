int main(void) {
    int a[2] = {1, a[0]}; //~ UNSPECIFIED order
    return a[1];
}
