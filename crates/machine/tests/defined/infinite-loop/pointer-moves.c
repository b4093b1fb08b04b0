// The same numbers in every round, and another pointer.
static char text[400000];

int main(void) {
    const char *p = text;
    while (p != text + sizeof text)
        p++;
    return 0;
}
