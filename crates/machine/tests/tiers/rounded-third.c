// tier: rounded
#include <stdio.h>
volatile double three = 3.0;
int main(void) {
    printf("%a\n", 1.0 / three);
    return 0;
}
