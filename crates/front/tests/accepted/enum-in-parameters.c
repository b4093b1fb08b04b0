int t(enum { V = 3 } v) { return V; }
