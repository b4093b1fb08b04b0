// target: avr
_Static_assert(_Generic(32767, int: 1, default: 0), "");
_Static_assert(_Generic(32768, long: 1, default: 0), "");
_Static_assert(_Generic(0x8000, unsigned: 1, default: 0), "");
_Static_assert(_Generic(0x10000, long: 1, default: 0), "");
_Static_assert(_Generic(0x80000000, unsigned long: 1, default: 0), "");
_Static_assert(_Generic(2147483648, long long: 1, default: 0), "");
_Static_assert(_Generic(65536u, unsigned long: 1, default: 0), "");
_Static_assert(_Generic('a', int: 1, default: 0), "");
_Static_assert(_Generic(L'a', int: 1, default: 0), "");
_Static_assert(_Generic(U'a', unsigned long: 1, default: 0), "");
_Static_assert(_Generic(sizeof 1, unsigned: 1, default: 0), "");
_Static_assert(sizeof(int) == 2 && sizeof(double) == 4 && sizeof(void *) == 2, "");
_Static_assert(32767 + 1L == 32768, "");
_Static_assert((unsigned char)255 + (unsigned short)65535 == 254, "");
struct s { char c; long l; int b : 9; };
_Static_assert(sizeof(struct s) == 7, "");
unsigned short promoted = 40000;
unsigned f(void) { return promoted * 2; }
double d = 1.1, third = 1.0 / 3;
long double ld = 1e30L;
int *next(int *p) { return p + 1; }
