int (*(*complicated(int a))[3])(char);
int *array_of_pointers[3], (*pointer_to_array)[3];
char *(*(**foo[2][2])())[4];
int (*returns_function_pointer(void))(int, int);
int takes(int f(int), int a[3], const int *const volatile p, int (*)(void));
void qualifiers(int *const a, const int *b, int *restrict c, int *volatile *d, const char *const *e);
typedef int function_type(int), (*function_pointer)(int), array_type[4];
function_type declared_by_typedef;
int declared_by_typedef(int a) { return a; }
static const array_type constant = { 1, 2, 3, 4 };
const int volatile unsigned long static reordered = 5;
long unsigned int long both = 6;
int (parenthesised) = 7, (*(pointer)) = &parenthesised, ((function))(void);
struct s { int (*method)(struct s *), bits : 3, *next, array[2]; } s;
extern int (*later)(void), plain;
int noargs(), unnamed(int, char *, ...);
_Noreturn void stop(void);
static inline int quick(void) { return 8; }
extern inline int external_inline(void) { return 9; }
_Thread_local int per_thread = 1;
static _Thread_local int per_thread_static;
int main(void) {
    register int r = 1;
    auto int a = 2;
    function_pointer f = declared_by_typedef;
    return !(f(3) == 3 && constant[3] == 4 && reordered == 5 && both == 6 && *pointer == 7 && quick() == 8
        && r + a == 3 && per_thread == 1 && !s.next);
}
