int x = 1;
typedef int T;
enum { E = 1 };
struct tag { int a; };
static int s = 10;
int f(int x) { { int x = 3; { extern int x; if (x != 1) return 0; } return x; } }
int g(void) { T T = 4; return T; }
int h(void) { enum { E = 2, x = 5 }; return E + x; }
int i(void) { struct tag { char b[3]; }; struct tag t; return sizeof t + sizeof(struct tag); }
int j(void) { static int s = 1; { static int s = 2; s++; if (s != 3) return -1; } return s++; }
int k(int a) { for (int a = 0; a < 3; a++) { int a = 9; (void)a; } return a; }
int l(void) { { extern int later; return later; } }
int later = 6;
int m(void) { int f(int); int main = f(2); return main; }
int n(void) { typedef char T; T t = 300 & 127; { typedef long T; if (sizeof(T) != 8) return 0; } return sizeof(T); }
int o(void) { struct tag *p; { struct tag; struct tag *q = 0; (void)q; } p = &(struct tag){ 4 }; return p->a; }
int p(void) { int x = sizeof x; return x; }
int q(int q) { return q; }
int r(void) { goto x; x: return x; }
int t(struct tag *tag, int v) { return tag->a + 3; }
int u(void) { int strlen = 3; return strlen; }
int v(void) { int y = 1; { int z = y, y = z + 1; return y; } }
int main(void) {
    struct tag value = { 2 };
    return !(f(2) == 3 && g() == 4 && h() == 7 && i() == 6 && j() == 1 && k(7) == 7 && l() == 6
        && m() == 3 && n() == 1 && o() == 4 && p() == 4 && q(5) == 5 && r() == 1
        && t(&value, 0) == 5 && u() == 3 && v() == 2 && x == 1 && E == 1 && s == 10);
}
