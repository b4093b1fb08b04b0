// Not undefined, as it would be in an expression: each item is complete before the next.
struct pair {
    int x, y;
};

int main(void) {
    int i = 0;
    struct pair p = {i++, i++}; //~ UNSPECIFIED order
    return p.x;
}
