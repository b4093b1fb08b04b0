struct line {
    struct {
        int x, y;
    } from, to;
};

int main(void) {
    int i = 1;
    struct line l = {{i, 2}, {i = 3, 4}}; //~ UNSPECIFIED order
    return l.from.x;
}
