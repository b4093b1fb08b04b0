int x __attribute__((1)); //~ expected the name of an attribute
