int g(void);
void f(void) {
  struct { int a, b; } u[4] = { [0 ... 3] = { g(), 2 }, [1].a = 5 }; //~ a range initialised with this expression cannot be changed in part
}
