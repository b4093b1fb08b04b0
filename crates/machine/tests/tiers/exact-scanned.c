// tier: exact
#include <stdio.h>
int main(void) {
    double x = 0;
    sscanf("9007199254740991", "%lf", &x);
    return (int)(x - 9007199254740989.0);
}
