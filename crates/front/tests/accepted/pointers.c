int a[10];
struct s { int x; struct s *next; } nodes[2] = { { 1, nodes + 1 }, { 2, nodes } };
void *vp = &a[3];
const char *names[] = { "one", "two", 0 };
int (*fp)(void) = 0;
unsigned long difference = 0;
int *end = a + 10, *null = 0, *other_null = (void *)0, *cast = (int *)16;
int main(void) {
    int *p = vp, *q = &a[7];
    char *c = (char *)a;
    long d = q - p;
    p = d ? vp : 0;
    const int *cp = d ? p : (const int *)q;
    void *v = d ? (void *)p : q;
    unsigned long bits = (unsigned long)p;
    return !(d == 4 && c + 12 == (char *)p && nodes[0].next->next->x == 1 && !fp && names[1][1] == 'w'
        && (p < q) && p != 0 && !null && cp == p && v == p && (int *)bits == p && end - a == 10
        && vp == p && (void *)q > vp && 1[p] == 0 && (long)cast == 16 && !other_null);
}
