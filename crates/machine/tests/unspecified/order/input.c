// Which of the two reads the first character is not specified.
int getchar(void);

int main(void)
{
    return getchar() - getchar(); //~ UNSPECIFIED order
}
