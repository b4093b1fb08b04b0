// Bytes that are copied one by one, or from an array of characters, have any type.
#include <stdlib.h>
#include <string.h>

int main(void) {
    int value = 42;
    float other = 0;
    unsigned char bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    float *p = malloc(sizeof value);
    *p = 1;
    memcpy(p, bytes, sizeof bytes);
    int *q = (int *)p;
    int sum = *q;
    *p = 1;
    for (unsigned i = 0; i < sizeof value; i++)
        ((char *)p)[i] = ((char *)&value)[i];
    sum += *q;
    memcpy(&other, p, sizeof other);
    free(p);
    return sum - 84;
}
