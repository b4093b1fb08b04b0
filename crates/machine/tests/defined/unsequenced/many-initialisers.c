// Items that meet neither each other nor the object.
#include <stdio.h>
struct node { struct node *next; int value; };
static int n;
static int next(void) {
    return ++n;
}
static int set(int *p) {
    return *p = 5;
}
int main(void) {
    int i = 0, j = 0;
    struct node node = {&node, next()};
    int a[] = {
        i++, j++, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        next(), sizeof i,
    };
    int b[2][2] = {{set(&i), 1}, {next(), a[1]}};
    int *p = b[0];
    printf("%d %d %d %d %d %d\n", node.value, node.next == &node, a[0], a[85], b[0][0], *p);
    return 0;
}
