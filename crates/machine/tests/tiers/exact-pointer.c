// tier: exact
volatile double hidden = 3.0;
int main(void) {
    double x = hidden * 0.5;
    unsigned char *bytes = (unsigned char *)&x;
    return bytes[7] + bytes[6] & 127;
}
