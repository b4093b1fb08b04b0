typedef int aligned_int __attribute__((aligned(16)));
typedef short __attribute__((may_alias)) alias_short;
struct __attribute__((packed)) before { char a; int b; };
struct after { char a; int b; } __attribute__((packed, aligned(4)));
struct member { char a; int b __attribute__((packed)); long c __attribute__((aligned(32))); };
struct __attribute__((__packed__)) s2 { char c; } __attribute__((__aligned__(8))) object = { 1 };
union __attribute__((transparent_union)) tu { int *i; const int *c; };
enum __attribute__((packed)) small { SMALL_A, SMALL_B };
enum attributed { OLD __attribute__((deprecated)), NEW };
__attribute__((noinline)) static int front(int a) { return a; }
static int __attribute__((noinline, noclone)) middle(int a) { return a + 1; }
static int behind(int a) __attribute__((noinline));
static int behind(int a __attribute__((unused))) { return 2; }
int *__attribute__((malloc)) pointer_result(void);
void __attribute__((format(printf, 1, 2))) print_it(const char *, ...);
__attribute__((const)) int pure_one(int), pure_two(int) __attribute__((nonnull));
extern int weak_one __attribute__((weak));
static int unused_one __attribute__((unused)), __attribute__((used)) unused_two;
int in_section __attribute__((section("mine"))) = 3;
int (__attribute__((noinline)) *function_pointer)(int) = front;
int cold(void) __attribute__((cold));
int cold(void) { return 0; }
static inline __attribute__((always_inline)) int inlined(void) { return 5; }
void gone(void) __attribute__((noreturn));
int main(void) {
    int local __attribute__((aligned(32))) = 4, other __attribute__((unused));
    aligned_int x = 1;
    long n = 0x10001;
    alias_short *p = (alias_short *)&n;
    label: __attribute__((unused));
    switch (local) {
    case 4: local++;
        __attribute__((fallthrough));
    case 5: local++;
    }
    if (sizeof(struct before) != 5 || sizeof(struct after) != 8) return 1;
    if (sizeof(enum small) != 1) return 2;
    if (_Alignof(aligned_int) != 16 || (unsigned long)&x % 16) return 3;
    if (sizeof(struct member) != 64) return 4;
    if (*p != 1) return 5;
    if (front(1) + middle(1) + behind(1) + function_pointer(2) != 7) return 6;
    if (local != 6 || inlined() != 5 || in_section != 3 || object.c != 1) return 7;
    if ((unsigned long)&object % 8) return 8;
    return cold();
}
