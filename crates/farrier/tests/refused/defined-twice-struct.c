struct s { int a; };
struct s { int b; }; //~ is defined twice
