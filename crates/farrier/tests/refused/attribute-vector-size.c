int v __attribute__((vector_size(0))); //~ `vector_size` needs a size in bytes
