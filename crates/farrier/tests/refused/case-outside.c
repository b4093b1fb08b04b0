void f(void) { case 1:; } //~ `case` is not inside a `switch`
