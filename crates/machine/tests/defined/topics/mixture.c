// Many small things at once: aggregates, jumps, pointers, conversions.
int printf(const char *, ...);
struct S { int a; char c; struct { short x, y; } in; union { int i; float f; unsigned char b[4]; } u; };
struct S mk(int a) { struct S s = { .a = a, .in = { 1, 2 }, .u.f = 1.0f }; return s; }
struct Big { int v[10]; };
struct Big big(int n) { struct Big b = {{0}}; for (int i = 0; i < 10; i++) b.v[i] = i * n; return b; }
static int counter(void) { static int n = 5; static int *p = &n; return ++*p; }
_Thread_local int tl = 7;
_Atomic int at = 3;
enum E { A = -1, B = 5 } e = B;
int flex_test(void) { struct F { int n; int d[]; }; static struct F f = { 3, { 1, 2, 3 } }; return f.d[2] + f.n; }
typedef int (*fn)(int);
int inc(int x) { return x + 1; }
int dec(int x) { return x - 1; }
int main(void) {
  struct S s = mk(4), t;
  t = s;
  if (t.u.i != 0x3f800000 || t.in.y != 2 || mk(9).a != 9 || big(3).v[9] != 27) return 1;
  t = s.a ? mk(2) : s;
  if (t.a != 2) return 2;
  t = (s.a++, s);
  if (t.a != 5) return 3;
  counter(); if (counter() != 7) return 4;
  tl++; at += 2; at++; if (tl != 8 || at != 6) return 5;
  if (flex_test() != 6) return 6;
  fn f = inc, g = dec; fn *pf = &f;
  if (f == g || f != inc || (*pf)(1) != 2 || (***f)(3) != 4 || !f) return 7;
  unsigned long addr = (unsigned long)&s; struct S *ps = (struct S *)addr; if (ps->a != 5) return 8;
  ps = (struct S *)(addr + 0); if (ps != &s) return 9;
  char *cp = (char *)&s.in.y; struct S *q = (struct S *)(cp - __builtin_offsetof(struct S, in.y)); if (q->a != 5) return 10;
  int arr[5] = {1,2,3,4,5}; int *p = arr + 4; unsigned one = 1; p -= one; p += one; p = p - 2 + 1u;
  if (*p != 4 || arr - p != -3 || p - arr != 3) return 11;
  short sh = 10; sh *= 1.75; if (sh != 17) return 12; unsigned char uc = 250; uc += 10; if (uc != 4) return 13;
  int *lit = (int[]){1, 2, 3}; lit[1] = 9; if (lit[1] != 9) return 15;
  int *keep = 0; int total = 0;
  for (int i = 0; i < 3; i++) { int *l = &(int){i}; total += *l; keep = l; }
  (void)keep; if (total != 3) return 16;
  void *labels[] = { &&l0, &&l1 }; int k = 0; goto *labels[k];
l1: k = 5; goto end; l0: k++; goto *labels[1];
end: if (k != 5) return 17;
  int r = ({ int z = 3; if (z > 2) goto out; z; }); return 18;
out:;
  r = ({ int i; for (i = 0; ; i++) if (i == 4) break; i; }); if (r != 4) return 19;
  int *np = 0; int *pick = np ?: arr; if (pick != arr) return 20;
  unsigned long long u64 = 0xffffffffffffffffULL; float f32 = u64; double f64 = u64 - 1024; if (f32 != 18446744073709551616.0f || f64 != 18446744073709549568.0) return 21;
  float ff = 16777217; if (ff != 16777216.0f) return 22; f32 = 0x8000008000000001ULL; if (f32 != 0x1.000002p63f) { return 23; }
  unsigned char bytes[sizeof p], copy[sizeof p]; int *pp; 
  for (unsigned i = 0; i < sizeof p; i++) bytes[i] = ((unsigned char *)&p)[i];
  for (unsigned i = 0; i < sizeof p; i++) copy[i] = bytes[i];
  for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&pp)[i] = copy[i];
  if (*pp != 4) return 24;
  struct S u1, u2; u1.a = 1; u1.c = 2; u2 = u1; if (u2.a + u2.c != 3) return 25;
  unsigned char *from = (unsigned char *)&u1, *to = (unsigned char *)&u2;
  for (unsigned i = 0; i < sizeof u1; i++) to[i] = from[i];
  if (u2.c != 2) return 26;
  switch (k) { int in; case 5: in = 4; k = in; } if (k != 4) return 27;
  if (e != 5 || A >= 0) return 28;
  volatile int vv = 3; vv++; vv += vv; if (vv != 8) return 29;
  struct { const int c; int m; } cm = {1, 2}; cm.m = 5; if (cm.c + cm.m != 6) return 30;
  printf("ok\n"); return 0; }
