struct s {
    char text[8];
} x = {"abc"}, y;

int main(void) {
    const char *p;
    p = (y = x).text;
    return p[0]; //~ UB dangling
}
