int f(int a) { return __farrier_frobnicate(a); } //~ __farrier_frobnicate
