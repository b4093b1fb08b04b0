_Complex double z = 1.0 + 2.0i;
_Complex float f = 1.5fi;
float _Complex g;
_Complex long double l = 3.0Li;
_Complex int ci = 3 + 4i;
__complex__ double old = 2;
int main(void) {
    _Complex double w = z * z, conj = ~z;
    __real__ w += 1;
    __imag__ w = -5;
    double x = __real__ z, y = __imag__ 3.0;
    g = f + 1;
    z /= 2;
    return !(__real__ w == -2 && __imag__ w == -5 && x == 1 && y == 0 && __imag__ conj == -2
        && __imag__ g == 1.5f && __real__ ci == 3 && __imag__ ci == 4 && z == 0.5 + 1.0i
        && __imag__ l == 3 && sizeof z == 16 && w != conj && old == 2.0);
}
