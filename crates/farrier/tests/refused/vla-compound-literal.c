int *f(int n) { return (int[n]){ 1 }; } //~ a compound literal cannot have variable length
