// std: c99
// permissive
int main(void) {
    char buffer[8];
    memset(buffer, 0, 8);
    if (strlen(buffer) != 0) abort();
    if (later(3) != 4) exit(1);
    return 0;
}
later(int a) { return a + 1; }
