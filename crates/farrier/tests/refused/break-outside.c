void f(void) { break; } //~ there is nothing to break out of here
