int printf(const char *, ...);
int main(void) {
    return printf("a") + printf("b"); //~ UNSPECIFIED order
}
