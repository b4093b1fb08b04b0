char a[1ull << 62][4]; //~ too large
