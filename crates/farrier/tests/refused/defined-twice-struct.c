struct s { int a; };
struct s { int b; }; //~ `struct s` is defined twice
