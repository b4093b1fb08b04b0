struct s { int a; };
struct s f(int a) { return (struct s)a; } //~ a value of type `int` cannot be cast to `struct s`
