struct s { int a, b; };
void f(struct s t) {
  struct { struct s s; } u = { .s = t, .s.a = 1 }; //~ changing a part of a whole that is already initialised is not supported
}
