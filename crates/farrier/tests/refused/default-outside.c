void f(void) { default:; } //~ `default` is not inside a `switch`
