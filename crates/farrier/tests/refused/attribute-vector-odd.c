int v __attribute__((vector_size(12))); //~ a vector of 12 bytes cannot hold `int`
