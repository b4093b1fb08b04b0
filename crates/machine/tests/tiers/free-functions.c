// tier: free
#include <stdio.h>
static double mix(double x, float y) { return x * y - 2.0 * x; }
struct pair { double first; float second; };
static struct pair swapped(struct pair p) {
    struct pair q = {p.first + p.second, 2.5f};
    return q;
}
volatile int hidden = 12;
int main(void) {
    struct pair p = {hidden, 3.0f};
    p = swapped(p);
    double *where = &p.first;
    *where += 4.0;
    printf("%d %d\n", (int)mix(p.first, p.second), p.first < p.second);
    return 0;
}
