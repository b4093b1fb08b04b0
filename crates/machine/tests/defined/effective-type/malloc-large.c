#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t half = 8 << 20;
    int *memory = malloc(2 * half);
    for (size_t i = 0; i < half / sizeof *memory; i += 4096)
        memory[i] = 1;
    memcpy((char *)memory + half, memory, half);
    float *f = (float *)memory;
    f[5] = 2;
    int result = memory[(half + 4096 * 4) / sizeof *memory] + (int)f[5];
    free(memory);
    return result - 3;
}
