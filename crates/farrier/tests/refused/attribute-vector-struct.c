struct s { int a; };
struct s v __attribute__((vector_size(16))); //~ there are no vectors of `struct s`
