int a;
int a;
int a = 3;
int a;
extern int b;
int b;
static int c;
static int c = 4;
int array[];
int array[3];
int unknown[];
extern int late[];
int first(void) { return late[1]; }
int late[] = { 7, 8 };
struct s;
extern struct s incomplete;
struct s *address = &incomplete;
struct s { int x; };
struct s incomplete = { 9 };
int f();
int f(int);
int f(int x) { return x; }
static int g(void);
int uses_g(void) { return g(); }
int g(void) { return 5; }
static int *self = (int *)&self;
int main(void) {
    return !(a == 3 && b == 0 && c == 4 && sizeof array == 12 && first() == 8 && address->x == 9
        && f(2) == 2 && uses_g() == 5 && unknown[0] == 0 && *(long *)self == (long)self);
}
