// args: one two
int main(int argc, char **argv)
{
    return argv[argc + 1] != 0; //~ UB out-of-bounds
}
