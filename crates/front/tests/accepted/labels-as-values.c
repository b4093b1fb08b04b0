static int run(const char *code) {
    static const void *const table[] = { &&add, &&twice, &&stop };
    static int distances[] = { &&twice - &&add };
    int value = 0;
    const void *go;
    goto *table[(int)*code++];
    add: value++; goto *table[(int)*code++];
    twice: value *= 2; goto *table[(int)*code++];
    stop: go = &&end;
    goto *go;
    end: return value;
}
int main(void) { return run("\0\0\1\0\1\2") - 10; }
