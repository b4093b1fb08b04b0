// args: one -2 a.b
// The strings of argv can be modified, C11 5.1.2.2.1.
int printf(const char *, ...);
int atoi(const char *);

int main(int argc, char **argv)
{
    if (argc != 4 || argv[argc] != 0)
        return 1;
    argv[1][0]++;
    printf("%s %d %s\n", argv[1], atoi(argv[2]), argv[3]);
    argv++;
    return argv[2][3] != 0;
}
