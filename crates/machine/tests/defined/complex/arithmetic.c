// Complex numbers: what compilers agree on to the last bit.
int printf(const char *, ...);

typedef _Complex double Z;
typedef _Complex float F;
typedef _Complex int I;

struct pair { Z z; F f; } pairs[2] = {{1.0 + 2.0i, 3.0f}, {.f = 2.0if}};
Z global = 3.0 - 4.0i;

static Z twice(Z z) { return z * 2; }
static F narrow(Z z) { return z; }
static void show(const char *what, Z z) { printf("%s %g %g\n", what, __real__ z, __imag__ z); }

int main(void)
{
    Z a = 1.5 + 2.5i, b = -3.0 + 0.125i;
    show("add", a + b);
    show("sub", a - b);
    show("mul", a * b);
    show("real", 2.0 * a);
    show("real-sub", 2.0 - a);
    show("div", a / 4.0);
    show("neg", -a);
    show("conj", ~a);
    show("call", twice(b));
    show("narrow", narrow(0.1 + 0.2i));
    show("global", global);
    show("member", pairs[0].z + pairs[1].f);
    __real__ a = 9;
    __imag__ a += 1;
    show("parts", a);
    a *= b;
    show("compound", a);
    a += 1;
    a++;
    show("step", a--);
    double d = 3;
    d *= 2.0 + 1.0i;
    F f = a;
    show("float", f * f);
    I i = 3 + 4i, j = {0};
    j = i * i;
    printf("%d %d %g\n", __real__ j, __imag__ j, d);
    i = ~i;
    printf("%d %d %d\n", __real__ i, __imag__ i, i == 3 - 4i);
    if (a == b || !(a != b) || !a || !(a && 1)) return 1;
    Z zero = 0;
    if (zero) return 2;
    if (!(_Bool)(0.0 + 1.0i) || (_Bool)zero) return 3;
    Z chosen = zero ?: b;
    show("chosen", d > 1 ? chosen : a);
    if ((double)chosen != -3.0 || (int)(1.9 + 5i) != 1) return 4;
    if (__builtin_creal(b) != -3.0 || __builtin_cimag(b) != 0.125) return 5;
    show("built", __builtin_complex(1.0, -0.0));
    if (__imag__ d != 0 || sizeof(Z) != 2 * sizeof(double)) return 6;
    long double _Complex l = 0.1L + 0.25iL;
    l = l * l;
    show("long", l);
    return 0;
}
