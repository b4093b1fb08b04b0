// C guarantees that one character can be pushed back, no more.
#include <stdio.h>

int main(void)
{
    ungetc('a', stdin);
    ungetc('b', stdin); //~ UNSUPPORTED ungetc of a second character
    return 0;
}
