// target: i386-linux
_Static_assert(_Generic(2147483648, long long: 1), "");
_Static_assert(_Generic(0x80000000, unsigned: 1), "");
_Static_assert(_Generic(0x80000000l, unsigned long: 1), "");
_Static_assert(_Generic(0x100000000, long long: 1), "");
_Static_assert(_Generic(0x8000000000000000, unsigned long long: 1), "");
_Static_assert(_Generic(4294967295u, unsigned: 1), "");
_Static_assert(_Generic(4294967296u, unsigned long long: 1), "");
_Static_assert(_Generic(L'a', long: 1), "");
_Static_assert(_Generic(sizeof 1, unsigned: 1), "");
_Static_assert(sizeof(long) == 4 && sizeof(long double) == 12 && sizeof(void *) == 4, "");
struct s { char c; long long l; double d; };
_Static_assert(sizeof(struct s) == 20 && _Alignof(long long) == 4 && __alignof__(long long) == 8, "");
long long x = 2147483648;
int *f(int *p, long n) { return p + n; }
