struct flexible { int n; char data[]; };
struct zero { int n; int data[0]; };
struct nested { struct flexible f; };
struct flexible initialised = { 3, "abc" };
struct flexible listed = { 2, { 'x', 'y' } };
struct zero empty = { 1 };
int none[0];
void *malloc(unsigned long);
int main(void) {
    struct flexible *p = malloc(sizeof *p + 4);
    p->n = 4;
    p->data[3] = 'z';
    return !(sizeof(struct flexible) == 4 && initialised.data[2] == 'c' && listed.data[1] == 'y'
        && sizeof(struct zero) == 4 && sizeof none == 0 && p->data[3] == 'z'
        && sizeof(struct nested) == 4 && empty.n == 1);
}
