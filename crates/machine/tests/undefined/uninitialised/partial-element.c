// An element that fread could not complete has no value, C11 7.21.8.1p2.
#include <stdio.h>

int main(void)
{
    int numbers[2] = { 1, 2 };
    fread(numbers, sizeof(int), 2, stdin);
    return numbers[1]; //~ UB uninitialised
}
