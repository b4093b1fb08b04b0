uint32_t x; //~ `uint32_t` is not the name of a type
