// Without arguments there is still the name of the program.
int main(int argc, char *argv[], char **environment)
{
    return argc != 1 || argv[0] == 0 || argv[1] != 0 || environment == 0;
}
