int counter;
int next(void) { return ++counter; }
struct pair { int a, b; };
int main(void) {
    int x = ({ int y = 1; y += 2; y; });
    int z = ({ 1; 2; ({ 3; }); });
    ({ ; });
    ({ int unused; });
    struct pair p = ({ struct pair q = { 1, 2 }; q; });
    int m = ({ struct pair q = { 3, 4 }; q; }).b;
    int w = ({ if (x) goto out; 1; });
    out:
    if (({ next(); next(); }) != 2) return 1;
    for (int i = ({ 0; }); i < ({ 3; }); ({ i++; })) { if (i == 2) break; }
    int loops = 0;
    while (({ loops++; loops < 3; })) ;
    int v = ({ label: 7; });
    int a[] = { ({ 1; }), ({ int y = 5; y; }) };
    (void)({ if (0) return 9; 0; });
    return !(x == 3 && z == 3 && p.b == 2 && m == 4 && loops == 3 && v == 7 && a[1] == 5);
}
