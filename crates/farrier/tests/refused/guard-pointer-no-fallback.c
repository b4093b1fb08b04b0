int f(int *p) { return *(int *)__farrier_pointer(p); } //~ needs a value to fall back to
