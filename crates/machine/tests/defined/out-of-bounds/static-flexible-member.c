// GNU C: a static object is made large enough for its flexible member.
struct s { int n; int a[]; };
static struct s s = { 1, { 1, 2 } };
int main(void) { return s.a[1] - 2; }
