int f(void) { return 1 } //~ expected `;`
