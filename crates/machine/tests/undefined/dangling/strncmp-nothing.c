// The pointer must be valid even if no byte is compared.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(4);
    free(p);
    return strncmp(p, "abc", 0); //~ UB dangling
}
