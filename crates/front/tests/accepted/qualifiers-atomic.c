_Atomic int counter = 1;
_Atomic(long) wide;
int *_Atomic pointer;
volatile const int *const restrict_like = 0;
struct { volatile int v; const int c; _Atomic char a; } s = { 1, 2, 3 };
int main(void) {
    volatile int local = 3;
    const volatile int *p = &local;
    counter++;
    counter += 2;
    wide = counter;
    return !(counter == 4 && wide == 4 && *p == 3 && s.a == 3 && s.c == 2);
}
