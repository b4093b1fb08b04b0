int find(int *a, int n, int x) {
    return ({ __label__ found, end; int i, r;
        for (i = 0; i < n; i++) if (a[i] == x) goto found;
        r = -1; goto end;
        found: r = i;
        end: r; });
}
int main(void) {
    int a[] = { 5, 6, 7 }, count = 0;
    {
        __label__ again;
        again: if (++count < 3) goto again;
    }
    {
        __label__ again, other;
        __label__ third;
        goto again; again: goto other; other: goto third; third:;
    }
    goto again;
    again:
    return !(find(a, 3, 6) == 1 && find(a, 3, 9) == -1 && count == 3);
}
