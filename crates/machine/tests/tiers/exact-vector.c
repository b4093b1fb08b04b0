// tier: exact
#include <stdio.h>
typedef float v4 __attribute__((vector_size(16)));
volatile float three = 3.0f;
int main(void) {
    v4 x = {1.5f, 2.0f, 6.0f, -0.0f};
    v4 y = {three, three, three, three};
    v4 z = x * y;
    for (int i = 0; i < 4; i++) printf("%a\n", (double)z[i]);
    return 0;
}
