// A byte ends the copy, and what comes after it need not be there.
#include <string.h>

int main(void)
{
    char from[4] = { 'a', ':', 'b', 'c' };
    char to[4] = { 'x', 'x', 'x', 'x' };
    if (memccpy(to, from, ':', 100) != to + 2 || to[2] != 'x') return 1;
    if (memccpy(to, from, '?', 4) != 0 || to[3] != 'c') return 2;
    return memccpy(to, from, 'a', 0) != 0;
}
