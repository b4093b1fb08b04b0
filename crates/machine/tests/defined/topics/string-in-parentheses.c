int main(void)
{
    char word[] = ("wo");
    char words[2][3] = {("ab"), (("c"))};
    struct { char text[4]; int number; } both = {("abc"), 3};
    return !(sizeof word == 3 && word[1] == 'o' && words[1][0] == 'c' && both.text[2] == 'c' &&
             both.number == 3 && ("xyz")[1] == 'y');
}
