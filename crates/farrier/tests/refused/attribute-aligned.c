int x __attribute__((aligned(3))); //~ 3 is not an alignment: use a power of two
