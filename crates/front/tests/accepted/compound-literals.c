struct p { int x, y; };
int *file_scope = (int[]){ 1, 2, 3 };
struct p *pointer = &(struct p){ 4, 5 };
const char *text = (const char[]){ "abc" };
struct p whole = (struct p){ 6, 7 };
int array[] = (int[]){ 8, 9 };
int sum(struct p p) { return p.x + p.y; }
int main(void) {
    int n = 3;
    int *local = (int[4]){ n, [3] = n + 1 };
    struct p q = (struct p){ .y = n };
    (struct p){ 1 }.x++;
    int scalar = (int){ 5 } + *&(int){ 6 };
    q = (struct p){ q.y, q.x };
    return !(file_scope[2] == 3 && pointer->y == 5 && text[2] == 'c' && whole.x == 6 && array[1] == 9
        && local[0] == 3 && local[3] == 4 && !local[1] && q.x == 3 && q.y == 0 && scalar == 11
        && sum((struct p){ 1, 2 }) == 3 && sizeof((char[]){ "four" }) == 5 && (const int){ 3 } == 3);
}
