enum e { A, B };
union u { int : 3; enum e e; int i; float f; };
int main(void) {
    unsigned one = 1;
    union u u = (union u)one, v = (union u)7, w = (union u)1.5f;
    return !(u.e == B && v.i == 7 && w.f == 1.5f);
}
