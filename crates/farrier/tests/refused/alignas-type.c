_Alignas(struct s) int x; //~ this type has no alignment
