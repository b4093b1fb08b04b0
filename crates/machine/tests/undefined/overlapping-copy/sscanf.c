// The word is written over the text that is read.
#include <stdio.h>

int main(void)
{
    char text[16] = "word";
    return sscanf(text, "%s", text) - 1; //~ UB overlapping-copy
}
