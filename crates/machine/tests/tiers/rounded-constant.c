// tier: rounded
int main(void) {
    double x = 0.1;
    return x == 0.1 ? 0 : 1;
}
