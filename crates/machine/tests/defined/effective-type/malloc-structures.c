// Members, whole structures, arrays of them, and the first member of a structure.
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
};

struct line {
    struct point from, to;
    double width;
    char name[4];
    struct line *next;
};

int main(void) {
    struct line *p = malloc(3 * sizeof *p);
    p->from.x = 1;
    p->from.y = 2;
    p->to = p->from;
    p->width = 3;
    strcpy(p->name, "abc");
    p->next = p + 1;
    p[1] = *p;
    memcpy(&p[2], &p[1], sizeof *p);
    struct line copy = p[2];
    int *first = (int *)&p[2];
    struct point *point = (struct point *)&p[1];
    struct point both = *point;
    int sum = copy.to.y + *first + point->y + both.x + (int)p[2].width + (p[2].name[1] == 'b');
    struct line local = {{1, 1}, {2, 2}, 4, "xyz", 0};
    p[0] = local;
    sum += p->to.x + (int)p->width + (p->name[2] == 'z') + (p->next == 0);
    void *list = p[2].next;
    sum += list == p + 1;
    free(p);
    return sum - 19;
}
