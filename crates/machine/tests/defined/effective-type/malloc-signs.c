// The signed and unsigned types that correspond, qualifiers, enumerations and typedefs.
#include <stdint.h>
#include <stdlib.h>

enum color { red, green };
typedef int number;

int main(void) {
    void *p = malloc(16);
    *(int *)p = 1;
    unsigned a = *(unsigned *)p;
    number b = *(number *)p;
    int c = *(const volatile int *)p;
    *(unsigned *)p = 1;
    enum color d = *(enum color *)p;
    int32_t e = *(int32_t *)p;
    unsigned char f = *(unsigned char *)p;
    *(size_t *)p = 1;
    unsigned long g = *(unsigned long *)p;
    free(p);
    return a + b + c + d + e + f + g != 7;
}
